//! The PTX entry. Pointers are separate parameters, because loads through pointers in a struct are generic.

use crate::generic::Entry;
use crate::kind::Kind;
use crate::signature::{Parameter, Signature};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;

/// The parts of the entry for one parameter.
#[derive(Default)]
struct Part {
    /// Raw parameters.
    parameters: TokenStream,
    /// Items beside the entry.
    declaration: TokenStream,
    /// Statements at the start of the entry.
    binding: TokenStream,
    /// The argument of the kernel's function.
    argument: TokenStream,
}

/// `called` is the function that has the entry's parameters.
pub fn module(signature: &Signature, visibility: &Visibility, called: &Ident) -> TokenStream {
    let name = &signature.name;
    let entries = super::entries(signature);
    let modules = entries.iter().map(|entry| {
        let items = items(signature, entry, called);
        if signature.instances.is_empty() {
            return items;
        }
        let (name, bindings) = (&entry.name, &entry.bindings);
        quote! {
            pub mod #name {
                #[allow(unused_imports)]
                use super::*;
                #bindings
                #items
            }
        }
    });
    quote! {
        #[cfg(target_arch = "nvptx64")]
        #[allow(missing_docs)]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            #(#modules)*
        }
    }
}

/// The items in the module of an entry.
fn items(signature: &Signature, entry: &Entry, called: &Ident) -> TokenStream {
    let Entry { name, home, arguments: instance, .. } = entry;
    let constants = super::constants(signature);
    let [threads, dimensions, text] = ["THREADS", "DIMENSIONS", "TEXT"].map(super::item);
    let mut description = super::description(signature, entry);
    if signature.parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Scatter(_))) {
        description.extend(quote!(.push(p::CHECKS_WRITES)));
    }
    let shared_limit = super::shared_limit(signature, entry);
    let parts: Vec<_> = signature.parameters.iter().map(|parameter| part(name, &dimensions, parameter)).collect();
    let parameters = parts.iter().map(|part| &part.parameters);
    let declarations = parts.iter().map(|part| &part.declaration);
    let bindings = parts.iter().map(|part| &part.binding);
    let arguments = parts.iter().map(|part| &part.argument);
    let symbol = super::plain(name);
    let [panic_record, kernel_id, grid_state, block] =
        ["panic_record", "kernel_id", "grid_state", "block"].map(super::hidden);
    let (state, grid, first) = if signature.meets {
        (quote!(, #grid_state: *mut p::GridState), quote!(#grid_state), quote!(p::whole_grid(#threads, #grid_state)))
    } else {
        (TokenStream::new(), quote!(::core::ptr::null_mut()), quote!(p::block::<#dimensions>(#threads)))
    };
    // A comment to the assembler; the build turns it into the entry's directives.
    let launch_bounds = format!("// .launch_bounds {symbol} {{threads}} {} phases", signature.blocks_per_sm.mark());
    let blocks = super::item("BLOCKS");
    let blocks = signature.blocks_per_sm.expression.as_ref().map(|_| quote!(, blocks = const #blocks));
    let fingerprint = format_ident!("__cuda_std_description_{symbol}");
    quote! {
        use ::cuda_std::__private as p;
        #constants
        const #text: p::cuda_layout::Text = #description;
        #[unsafe(no_mangle)]
        pub static #fingerprint: [u8; #text.len()] = #text.to_array();
        ::core::arch::global_asm!(#launch_bounds, threads = const #threads #blocks);
        #shared_limit
        #(#declarations)*
        #[unsafe(export_name = #symbol)]
        pub unsafe extern "ptx-kernel" fn entry(
            #(#parameters)*
            #panic_record: *mut p::PanicRecord,
            #kernel_id: u32
            #state
        ) {
            // SAFETY: the host passes these; all threads of the block begin here.
            unsafe { p::enter(#panic_record, #grid, #kernel_id) };
            // SAFETY of the bindings: the host passes what its typed launch has checked; the shared arrays are this entry's own.
            #(#bindings)*
            // SAFETY: all threads begin here, and there is no other one.
            let mut #block = unsafe { #first };
            // The function is safe, and so is its call.
            #home::#called #instance(&mut #block, #(#arguments),*);
        }
    }
}

/// As on the host, the function's arguments have the types and lengths of the entry's module.
fn part(kernel: &Ident, dimensions: &Ident, parameter: &Parameter) -> Part {
    let (id, ty, plain) = (&parameter.name, &parameter.ty, super::plain(&parameter.name));
    let len = super::hidden(&format!("{plain}_len"));
    // Two groups may have arrays of the same name. No name has this mark.
    let symbol = format!("{}__{}", super::plain(kernel), parameter.text.replace('.', "$"));
    let address = format!("mov.u32 {{0}}, {symbol};");
    let take_address = quote! {
        let #id: u32;
        unsafe { ::core::arch::asm!(#address, out(reg32) #id, options(pure, nomem, nostack, preserves_flags)) };
    };
    match &parameter.kind {
        Kind::Slice(element) => Part {
            parameters: quote!(#id: *const #element, #len: u64,),
            binding: quote!(let #id = unsafe { p::slice(#id, #len) };),
            argument: quote!(#id),
            ..Part::default()
        },
        Kind::Segment(element) => {
            let offsets = super::hidden(&format!("{plain}_offsets"));
            Part {
                parameters: quote!(#id: *mut #element, #offsets: *const u32,),
                binding: quote! {
                    let mut #id = unsafe { p::segment(p::block_index::<#dimensions>(), #id, #offsets) };
                },
                argument: quote!(&mut #id),
                ..Part::default()
            }
        }
        Kind::Chunk { element, .. } => {
            let length = super::item_of("LENGTH", parameter);
            Part {
                parameters: quote!(#id: *mut #element, #len: u32,),
                binding: quote! {
                    let mut #id = unsafe { p::chunk::<_, #length, _>(p::block_index::<#dimensions>(), #id, #len) };
                },
                argument: quote!(&mut #id),
                ..Part::default()
            }
        }
        Kind::Tile2d { element, .. } => {
            let [rows, columns] = ["ROWS", "COLUMNS"].map(|what| super::item_of(what, parameter));
            let [height, width] = ["rows", "columns"].map(|of| super::hidden(&format!("{plain}_{of}")));
            Part {
                parameters: quote!(#id: *mut #element, #height: u32, #width: u32,),
                binding: quote! {
                    let mut #id = unsafe { p::tile_2d::<_, #rows, #columns, _>(p::block_index_3d(), #id, #height, #width) };
                },
                argument: quote!(&mut #id),
                ..Part::default()
            }
        }
        Kind::Atomics { element, .. } => Part {
            parameters: quote!(#id: *mut #element, #len: u32,),
            binding: quote!(let #id = unsafe { p::atomics(#id, #len) };),
            argument: quote!(&#id),
            ..Part::default()
        },
        Kind::Scatter(element) => {
            let written = super::hidden(&format!("{plain}_written"));
            Part {
                parameters: quote!(#id: *mut #element, #len: u32, #written: p::WriteOnce,),
                binding: quote!(let #id = unsafe { p::scatter(#id, #len, #written) };),
                argument: quote!(&#id),
                ..Part::default()
            }
        }
        Kind::GridMemory(element) => Part {
            parameters: quote!(#id: *mut #element, #len: u32,),
            binding: quote!(let mut #id = unsafe { p::grid_memory(#id, #len) };),
            argument: quote!(&mut #id),
            ..Part::default()
        },
        Kind::Shared { element, length } => {
            let declare = format!(".shared .align 16 .b8 {symbol}[{{bytes}}];");
            let bytes = super::item(&format!("BYTES_OF_{plain}"));
            Part {
                declaration: quote! {
                    #[allow(non_upper_case_globals, unused_braces)]
                    const #bytes: usize = p::declared_bytes(::core::mem::size_of::<#element>(), #length);
                    ::core::arch::global_asm!(#declare, bytes = const #bytes);
                },
                binding: quote! {
                    #take_address
                    let mut #id = ::cuda_std::Shared::from_storage(unsafe {
                        p::SharedStorage::<#element, #length>::new(#id)
                    });
                },
                argument: quote!(&mut #id),
                ..Part::default()
            }
        }
        Kind::DynamicShared(element) => {
            let declare = format!(".extern .shared .align {{align}} .b8 {symbol}[];");
            Part {
                parameters: quote!(#len: u32,),
                declaration: quote!(::core::arch::global_asm!(#declare, align = const p::DYNAMIC_SHARED_ALIGNMENT);),
                binding: quote! {
                    #take_address
                    let mut #id = ::cuda_std::DynamicShared::from_storage(unsafe {
                        p::DynamicStorage::<#element>::new(#id, #len)
                    });
                },
                argument: quote!(&mut #id),
            }
        }
        Kind::Value => Part { parameters: quote!(#id: #ty,), argument: quote!(#id), ..Part::default() },
    }
}
