//! Kernels in the raw style: `unsafe fn` on pointers, for `cuda_std::compat`.

use crate::expand::plain;
use crate::signature::{check_macros, name_and_type};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote};
use std::sync::atomic::{AtomicU32, Ordering};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, FnArg, Ident, ItemFn, LitInt, ReturnType, Token, Type, TypePtr, TypeReference, parse_quote};

/// Whether a function is a raw kernel: `unsafe` and without a block.
pub fn is_raw(function: &ItemFn) -> bool {
    let takes_block = |input: &FnArg| {
        let FnArg::Typed(typed) = input else { return false };
        let Type::Reference(TypeReference { elem, .. }) = &*typed.ty else { return false };
        matches!(&**elem, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Block"))
    };
    matches!(function.sig.safety, syn::Safety::Unsafe(_)) && !function.sig.inputs.first().is_some_and(takes_block)
}

/// `threads = 256, blocks_per_sm = 3`. An option that is not given is 0.
#[derive(Default)]
pub struct Options {
    threads: u32,
    blocks_per_sm: u32,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut options, mut crowded) = (Self::default(), None);
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let (place, most) = match name.to_string().as_str() {
                "threads" => (&mut options.threads, 1024),
                "blocks_per_sm" => {
                    crowded = Some(name.span());
                    (&mut options.blocks_per_sm, 32)
                }
                _ => {
                    let known = "a raw kernel has no such option; there are `threads` and `blocks_per_sm`";
                    return Err(Error::new(name.span(), known));
                }
            };
            input.parse::<Token![=]>()?;
            let literal: LitInt = input.parse()?;
            let value: u32 = literal.base10_parse()?;
            if value == 0 || value > most {
                return Err(Error::new(literal.span(), format!("`{name}` is from 1 to {most}")));
            }
            *place = value;
            input.parse::<Option<Token![,]>>()?;
        }
        if let Some(span) = crowded
            && options.threads == 0
        {
            return Err(Error::new(span, "`blocks_per_sm` needs the size of a block: #[kernel(threads = 256, ..)]"));
        }
        Ok(options)
    }
}

enum Kind {
    /// `*const T`.
    Const(Type),
    /// `*mut T`.
    Mut(Type),
    /// `&[T]`.
    Slice(Type),
    Value(Type),
}

struct Parameter {
    name: Ident,
    kind: Kind,
}

impl Parameter {
    fn parse(input: &FnArg) -> syn::Result<Self> {
        let (name, ty) = name_and_type(input)?;
        let kind = match ty {
            Type::Ptr(TypePtr { mutability, elem, .. }) => match mutability {
                syn::PointerMutability::Mut(_) => Kind::Mut((**elem).clone()),
                _ => Kind::Const((**elem).clone()),
            },
            Type::Reference(TypeReference { mutability: None, elem, .. }) => match &**elem {
                Type::Slice(slice) => Kind::Slice((*slice.elem).clone()),
                _ => return Err(Error::new(ty.span(), "a raw kernel takes `*const T`, `*mut T`, `&[T]` and values")),
            },
            Type::Reference(_) => {
                return Err(Error::new(
                    ty.span(),
                    "every thread of the grid would hold this `&mut`; a raw kernel writes through a `*mut T`",
                ));
            }
            _ => Kind::Value(ty.clone()),
        };
        Ok(Self { name: name.clone(), kind })
    }
}

pub fn expand(options: &Options, function: &ItemFn) -> syn::Result<TokenStream> {
    let sig = &function.sig;
    if !sig.generics.params.is_empty() {
        return Err(Error::new(sig.generics.span(), "a kernel has one PTX entry: it cannot be generic"));
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        return Err(Error::new(ty.span(), "a kernel returns nothing: it writes its outputs"));
    }
    if let Some(word) = sig.asyncness.map(|t| t.span).or(sig.constness.map(|t| t.span)) {
        return Err(Error::new(word, "a kernel is an ordinary function"));
    }
    check_macros(&sig.inputs.to_token_stream())?;
    let parameters = sig.inputs.iter().map(Parameter::parse).collect::<syn::Result<Vec<_>>>()?;
    let mut function = function.clone();
    function.attrs.push(parse_quote!(#[inline(always)]));
    function.attrs.push(parse_quote!(#[allow(unsafe_code, clippy::too_many_arguments)]));
    let description = description(&sig.ident, options, &parameters);
    let device = device(options, &description, &function, &parameters);
    let host = host(options, &description, &function, &parameters);
    Ok(quote! {
        #function
        #device
        #host
    })
}

/// An expression of type `Text`: the signature, with the layouts of its types.
fn description(name: &Ident, options: &Options, parameters: &[Parameter]) -> TokenStream {
    let head = format!("{}(", plain(name));
    let tail = format!(")x{}", if options.threads == 0 { "any".to_owned() } else { options.threads.to_string() });
    let parts = parameters.iter().map(|Parameter { name, kind }| {
        let name = plain(name);
        let (before, ty, after) = match kind {
            Kind::Const(ty) => (format!("{name}:*const "), ty, ";"),
            Kind::Mut(ty) => (format!("{name}:*mut "), ty, ";"),
            Kind::Slice(ty) => (format!("{name}:&["), ty, "];"),
            Kind::Value(ty) => (format!("{name}:"), ty, ";"),
        };
        quote! {
            .push(#before)
            .push(<#ty as ::cuda_std::__private::cuda_layout::DeviceLayout>::TEXT.as_str())
            .push(#after)
        }
    });
    quote! { ::cuda_std::__private::cuda_layout::Text::new().push(#head)#(#parts)*.push(#tail) }
}

fn device(options: &Options, description: &TokenStream, function: &ItemFn, parameters: &[Parameter]) -> TokenStream {
    let (name, visibility) = (&function.sig.ident, &function.vis);
    let (mut raw, mut arguments) = (Vec::new(), Vec::new());
    for Parameter { name: id, kind } in parameters {
        match kind {
            Kind::Const(ty) => raw.push(quote!(#id: *const #ty)),
            Kind::Mut(ty) => raw.push(quote!(#id: *mut #ty)),
            Kind::Value(ty) => raw.push(quote!(#id: #ty)),
            Kind::Slice(ty) => {
                let len = crate::expand::hidden(&format!("{}_len", plain(id)));
                raw.push(quote!(#id: *const #ty, #len: u64));
                arguments.push(quote!(p::slice(#id, #len)));
                continue;
            }
        }
        arguments.push(quote!(#id));
    }
    let entry = plain(name);
    let launch_bounds = (options.threads > 0).then(|| {
        // This is a comment to the assembler; the build turns it into the entry's directives.
        let mark = format!("// .launch_bounds {entry} {} {}", options.threads, options.blocks_per_sm);
        quote!(::core::arch::global_asm!(#mark);)
    });
    let fingerprint = format_ident!("__cuda_std_description_{entry}");
    let [panic_record, kernel_id] = ["panic_record", "kernel_id"].map(crate::expand::hidden);
    quote! {
        #[cfg(target_arch = "nvptx64")]
        #[allow(unsafe_code, missing_docs)]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            use ::cuda_std::__private as p;
            const TEXT: p::cuda_layout::Text = #description;
            #[unsafe(no_mangle)]
            pub static #fingerprint: [u8; TEXT.len()] = TEXT.to_array();
            #launch_bounds
            #[unsafe(export_name = #entry)]
            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "ptx-kernel" fn entry(#(#raw,)* #panic_record: *mut p::PanicRecord, #kernel_id: u32) {
                // SAFETY: the arguments are those of the launch, which its caller guarantees; the host passes the two
                // hidden ones.
                unsafe {
                    p::enter(#panic_record, ::core::ptr::null_mut(), #kernel_id);
                    super::#name(#(#arguments),*);
                }
            }
        }
    }
}

fn host(options: &Options, description: &TokenStream, function: &ItemFn, parameters: &[Parameter]) -> TokenStream {
    let (name, visibility) = (&function.sig.ident, &function.vis);
    let name_text = plain(name);
    let (mut fields, mut visits) = (Vec::new(), Vec::new());
    for Parameter { name: id, kind } in parameters {
        let text = plain(id);
        let doc = format!("`{text}` of the kernel.");
        let (ty, visit) = match kind {
            Kind::Const(ty) => (quote!(c::DevicePointer<#ty>), quote!(pointer(#text, args.#id.address()))),
            Kind::Mut(ty) => (quote!(c::DevicePointerMut<#ty>), quote!(pointer(#text, args.#id.address()))),
            Kind::Slice(ty) => (quote!(c::DeviceSlice<#ty>), quote!(slice(#text, &args.#id))),
            Kind::Value(ty) => (quote!(#ty), quote!(value::<#ty>(#text, &args.#id))),
        };
        fields.push(quote!(#[doc = #doc] pub #id: #ty));
        visits.push(quote!(visitor.#visit;));
    }
    let threads = match options.threads {
        0 => quote!(::core::option::Option::None),
        n => quote!(::core::option::Option::Some(#n)),
    };
    let module_doc = format!("Launching the raw kernel [`{name}`](fn@{name}) from the host.");
    let args_doc = format!("The arguments of a launch of [`{name}`](fn@{name}), by the names of its parameters.");
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc = #module_doc]
        #[allow(unsafe_code)]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            use ::cuda_std::__private as p;
            use ::cuda_std::compat::launch as c;

            #[doc = #args_doc]
            #[derive(Clone, Copy)]
            pub struct Args {
                #(#fields,)*
            }

            /// The kernel, as a type.
            pub enum Kernel {}

            /// Queues a launch.
            ///
            /// # Errors
            /// As for [`RawExecutor::launch_raw`](c::RawExecutor::launch_raw).
            ///
            /// # Safety
            /// As for [`RawExecutor::launch_raw`](c::RawExecutor::launch_raw).
            pub unsafe fn launch<E: c::RawExecutor>(
                executor: &E,
                shape: c::LaunchShape,
                args: Args,
            ) -> ::core::result::Result<(), E::Error> {
                // SAFETY: ensured by the caller.
                unsafe { executor.launch_raw::<Kernel>(shape, &args) }
            }

            // SAFETY: the constants and the order of the arguments come from the signature that the entry is made from.
            unsafe impl c::RawKernel for Kernel {
                const NAME: &'static str = #name_text;
                const DESCRIPTION: &'static str = {
                    const TEXT: &p::cuda_layout::Text = &#description;
                    TEXT.as_str()
                };
                const THREADS: ::core::option::Option<u32> = #threads;
                type Args = Args;

                fn visit<V: c::RawVisitor>(args: &Args, visitor: &mut V) {
                    let _ = (&args, &visitor);
                    #(#visits)*
                }
            }
        }
    }
}

/// `T; LEN`.
pub struct SharedArray {
    element: Type,
    length: Expr,
}

impl Parse for SharedArray {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let element = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Self { element, length: input.parse()? })
    }
}

/// Declares the array outside the function, where inlining and unrolling cannot repeat the declaration.
pub fn shared_array(SharedArray { element, length }: &SharedArray) -> TokenStream {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Macros expand in source order, so a crate's arrays have the same names in every build.
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let of = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    let symbol = format!("__shared_array_{of}_{number}");
    let module = format_ident!("{symbol}");
    let declare = format!(".shared .align 16 .b8 {symbol}[{{bytes}}];");
    let address = format!("cvta.shared.u64 {{0}}, {symbol};");
    quote! {{
        #[allow(non_snake_case, unsafe_code, unused_imports)]
        mod #module {
            use super::*;
            pub const LENGTH: usize = #length;
            pub type Element = #element;
            const _: () = assert!(::core::mem::align_of::<Element>() <= 16, "shared arrays are aligned to 16 bytes");
            #[cfg(target_arch = "nvptx64")]
            ::core::arch::global_asm!(#declare, bytes = const ::cuda_std::__private::declared_bytes(::core::mem::size_of::<Element>(), LENGTH));
        }
        #[cfg(target_arch = "nvptx64")]
        {
            let array: *mut #module::Element;
            ::core::arch::asm!(#address, out(reg64) array, options(pure, nomem, nostack, preserves_flags));
            array
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let _ = #module::LENGTH;
            ::cuda_std::__private::no_shared_array::<#module::Element>()
        }
    }}
}
