//! Generates a kernel's code for each side.

mod device;
pub mod fields;
mod host;

use crate::generic::Entry;
use crate::group::Leaf;
use crate::kind::Kind;
use crate::signature::{Parameter, Signature};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{ItemFn, parse_quote};

/// `groups` has the fields of the function's groups, in order.
pub fn expand(signature: &Signature, function: &ItemFn, groups: &[Vec<Leaf>]) -> TokenStream {
    let mut function = function.clone();
    function.attrs.push(parse_quote!(#[allow(clippy::too_many_arguments)]));
    let mut with_fields = fields::with_fields(&function, groups);
    let with_features = host::with_features(signature, with_fields.as_ref().unwrap_or(&function));
    function.attrs.push(parse_quote!(#[inline(always)]));
    let called = with_fields.as_ref().unwrap_or(&function).sig.ident.clone();
    if let Some(with_fields) = &mut with_fields {
        with_fields.attrs.push(parse_quote!(#[inline(always)]));
        // Only callers of the function itself use it.
        function.attrs.push(parse_quote!(#[allow(dead_code)]));
    }
    let device = device::module(signature, &function.vis, &called);
    let host = host::module(signature, &function.vis, &called);
    quote! {
        #function
        #with_fields
        #with_features
        #device
        #host
    }
}

/// A name in generated code that no name of the kernel's author can mean, even if both are spelled alike.
pub fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A name as text. PTX and descriptions have no mark for raw identifiers.
pub fn plain(name: &Ident) -> String {
    name.unraw().to_string()
}

/// The name of an item of generated modules. Items cannot be hidden, so it is one that no author chooses.
pub fn item(name: &str) -> Ident {
    Ident::new(&format!("__CUDA_STD_{name}"), Span::call_site())
}

/// The name of an item of a parameter.
fn item_of(what: &str, parameter: &Parameter) -> Ident {
    item(&format!("{what}_OF_{}", plain(&parameter.name)))
}

/// Items of the entry's module for what both sides count with. The author's expressions stand here alone: outside of unsafe blocks, and
/// of functions whose type parameters could have the name of an author's type.
fn constants(signature: &Signature) -> TokenStream {
    let (threads, dimensions) = (&signature.threads, signature.dimensions);
    let [threads_name, dimensions_name] = ["THREADS", "DIMENSIONS"].map(item);
    let lengths = signature.parameters.iter().flat_map(|parameter| {
        let lengths = match &parameter.kind {
            Kind::Chunk { length, .. } => vec![("LENGTH", length)],
            Kind::Tile2d { rows, columns, .. } => vec![("ROWS", rows), ("COLUMNS", columns)],
            _ => Vec::new(),
        };
        lengths.into_iter().map(move |(what, length)| (item_of(what, parameter), length))
    });
    let (names, lengths): (Vec<_>, Vec<_>) = lengths.unzip();
    let blocks_name = item("BLOCKS");
    let blocks = signature.blocks_per_sm.expression.as_ref();
    // The host evaluates it as well, so that a wrong one stops any build.
    let blocks = blocks.map(|blocks| quote!(#[allow(dead_code, unused_braces)] const #blocks_name: u32 = #blocks;));
    quote! {
        #blocks
        const #threads_name: u32 = #threads;
        const #dimensions_name: u32 = #dimensions;
        #(#[allow(non_upper_case_globals, unused_braces)] const #names: usize = #lengths;)*
    }
}

/// The entries of a kernel: itself, or its instances.
fn entries(signature: &Signature) -> Vec<Entry> {
    if signature.instances.is_empty() {
        return vec![Entry::plain(&signature.name)];
    }
    signature.instances.iter().map(|instance| Entry::of_instance(&signature.generics, instance)).collect()
}

/// An item of the entry's module that stops the build if the kernel's static shared arrays exceed a device's memory.
fn shared_limit(signature: &Signature, entry: &Entry) -> TokenStream {
    let arrays = signature.parameters.iter().filter_map(|parameter| match &parameter.kind {
        Kind::Shared { element, length } => Some((element, length)),
        _ => None,
    });
    let (elements, lengths): (Vec<_>, Vec<_>) = arrays.unzip();
    if elements.is_empty() {
        return TokenStream::new();
    }
    let message = format!(
        "the shared arrays of kernel `{}` take more than 48 KiB (less 16 bytes): make the largest one \
         `&mut DynamicShared<T>`, whose length its launch says",
        entry.name
    );
    let bytes = hidden("bytes");
    quote_spanned! { entry.name.span() =>
        #[allow(unused_braces)]
        const _: () = {
            // `Pick` has another size in shared memory and does not need this trait.
            #[allow(unused_imports)]
            use p::InSharedMemory as _;
            let mut #bytes = 0;
            #(#bytes += p::array_bytes(p::Element::<#elements>::BYTES, #lengths);)*
            assert!(#bytes <= p::STATIC_SHARED_BYTES, #message);
        };
    }
}

/// An expression of type `Text`: the signature with the layouts of its types, and what else of the attribute both sides count with.
/// `requires(..)` and `avx512` concern the host alone, `blocks_per_sm` the device alone.
fn description(signature: &Signature, entry: &Entry) -> TokenStream {
    let head = format!("{}(", entry.label);
    let [threads, dimensions] = ["THREADS", "DIMENSIONS"].map(item);
    let parts = signature.parameters.iter().filter_map(|parameter| {
        let name = &parameter.text;
        let layout = |ty| quote!(<#ty as ::cuda_std::__private::cuda_layout::DeviceLayout>::TEXT.as_str());
        let of = |what: &str, ty| {
            let (before, layout) = (format!("{name}:{what}<"), layout(ty));
            quote!(.push(#before).push(#layout))
        };
        Some(match &parameter.kind {
            Kind::Slice(ty) => {
                let (before, layout) = (format!("{name}:&["), layout(ty));
                quote!(.push(#before).push(#layout).push("];"))
            }
            Kind::Segment(ty) => {
                let of = of("&mut Segment", ty);
                quote!(#of.push(">;"))
            }
            Kind::Chunk { element, .. } => {
                let (of, length) = (of("&mut Chunk", element), item_of("LENGTH", parameter));
                quote!(#of.push(",").push_usize(#length).push(">;"))
            }
            Kind::Tile2d { element, .. } => {
                let of = of("&mut Tile2d", element);
                let [rows, columns] = ["ROWS", "COLUMNS"].map(|what| item_of(what, parameter));
                quote!(#of.push(",").push_usize(#rows).push(",").push_usize(#columns).push(">;"))
            }
            Kind::Atomics { element, .. } => {
                let of = of("&Atomics", element);
                quote!(#of.push(">;"))
            }
            Kind::Scatter(ty) => {
                let of = of("&Scatter", ty);
                quote!(#of.push(">;"))
            }
            Kind::GridMemory(ty) => {
                let of = of("&mut GridMemory", ty);
                quote!(#of.push(">;"))
            }
            Kind::DynamicShared(ty) => {
                let of = of("&mut DynamicShared", ty);
                quote!(#of.push(">;"))
            }
            Kind::Value => {
                let (before, layout) = (format!("{name}:"), layout(&parameter.ty));
                quote!(.push(#before).push(#layout).push(";"))
            }
            Kind::Shared { .. } => return None,
        })
    });
    let tail = if signature.meets { "grid;)x" } else { ")x" };
    quote! {
        ::cuda_std::__private::cuda_layout::Text::new().push(#head)#(#parts)*.push(#tail).push_usize(#threads as usize)
            .push(" grid ").push_usize(#dimensions as usize)
    }
}
