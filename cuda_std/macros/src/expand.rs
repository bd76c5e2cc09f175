//! The code that stands for a kernel on each side.

use crate::signature::{Kind, Signature};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemFn, parse_quote};

pub fn expand(signature: &Signature, function: &ItemFn) -> TokenStream {
    let mut function = function.clone();
    // One copy in the entry, and on a CPU one in the code for each set of processor features.
    function.attrs.push(parse_quote!(#[inline(always)]));
    function.attrs.push(parse_quote!(#[allow(clippy::too_many_arguments)]));
    let description = description(signature);
    let device = device(signature, &description, &function);
    let host = host(signature, &description, &function);
    quote! {
        #function
        #device
        #host
    }
}

/// An expression of type `Text`: the signature with the layouts of its types.
fn description(signature: &Signature) -> TokenStream {
    let head = format!("{}(", signature.name);
    let tail = format!(")x{}", signature.threads);
    let parts = signature.parameters.iter().filter_map(|parameter| {
        let name = &parameter.name;
        let (before, ty, after) = match &parameter.kind {
            Kind::Slice(ty) => (format!("{name}:&["), ty, "];"),
            Kind::Segment(ty) => (format!("{name}:&mut Segment<"), ty, ">;"),
            Kind::Value => (format!("{name}:"), &parameter.ty, ";"),
            Kind::Shared { .. } => return None,
        };
        Some(quote! {
            .push(#before)
            .push(<#ty as ::cuda_std::__private::cuda_layout::DeviceLayout>::TEXT.as_str())
            .push(#after)
        })
    });
    quote! { ::cuda_std::__private::cuda_layout::Text::new().push(#head)#(#parts)*.push(#tail) }
}

/// The PTX entry: pointers are parameters of their own, because those inside a struct become generic loads.
fn device(signature: &Signature, description: &TokenStream, function: &ItemFn) -> TokenStream {
    let name = &signature.name;
    let visibility = &function.vis;
    let threads = signature.threads;
    let dimensions = signature.dimensions;
    let mut parameters = Vec::new();
    let mut declarations = Vec::new();
    let mut bindings = Vec::new();
    let mut arguments = Vec::new();
    for parameter in &signature.parameters {
        let (id, ty) = (&parameter.name, &parameter.ty);
        match &parameter.kind {
            Kind::Slice(element) => {
                let len = format_ident!("{id}_len");
                parameters.push(quote!(#id: *const #element, #len: u64));
                arguments.push(quote!(p::slice(#id, #len)));
            }
            Kind::Segment(element) => {
                let offsets = format_ident!("{id}_offsets");
                parameters.push(quote!(#id: *mut #element, #offsets: *const u32));
                arguments.push(quote!(&mut p::segment(index, #id, #offsets)));
            }
            Kind::Shared { element, length } => {
                let symbol = format!("{name}__{id}");
                let declare = format!(".shared .align 16 .b8 {symbol}[{{bytes}}];");
                let address = format!("mov.u32 {{0}}, {symbol};");
                declarations.push(quote! {
                    ::core::arch::global_asm!(#declare, bytes = const ::core::mem::size_of::<#element>() * #length);
                });
                bindings.push(quote! {
                    let #id: u32;
                    ::core::arch::asm!(#address, out(reg32) #id, options(pure, nomem, nostack, preserves_flags));
                });
                arguments.push(quote!(&mut ::cuda_std::Shared::from_storage(p::SharedStorage::new(#id))));
            }
            Kind::Value => {
                parameters.push(quote!(#id: #ty));
                arguments.push(quote!(#id));
            }
        }
    }
    let entry = name.to_string();
    // A comment to the assembler; the build turns it into the entry's directives.
    let launch_bounds = format!("// .launch_bounds {name} {threads} {}", signature.blocks_per_sm);
    let fingerprint = format_ident!("__cuda_std_description_{name}");
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
            ::core::arch::global_asm!(#launch_bounds);
            #(#declarations)*
            #[unsafe(export_name = #entry)]
            pub unsafe extern "ptx-kernel" fn entry(#(#parameters,)* panic_record: *mut p::PanicRecord, kernel_id: u32) {
                // SAFETY: the host passes what its typed launch has checked; the shared arrays are this entry's own.
                unsafe {
                    p::enter(panic_record, kernel_id);
                    #(#bindings)*
                    let block = &mut p::block::<#dimensions>(#threads);
                    let index = block.index();
                    super::#name(block, #(#arguments),*);
                }
            }
        }
    }
}

fn host(signature: &Signature, description: &TokenStream, function: &ItemFn) -> TokenStream {
    let name = &signature.name;
    let name_text = name.to_string();
    let threads = signature.threads;
    let dimensions = signature.dimensions;
    let visibility = &function.vis;
    let mut fields = Vec::new();
    let mut visits = Vec::new();
    let mut cpu_fields = Vec::new();
    let mut cpu_values = Vec::new();
    let mut arguments = Vec::new();
    for parameter in &signature.parameters {
        let (id, ty) = (&parameter.name, &parameter.ty);
        let text = id.to_string();
        let doc = format!("`{id}` of the kernel.");
        match &parameter.kind {
            Kind::Slice(element) => {
                fields.push(quote!(#[doc = #doc] pub #id: S::Ref<'a, #element>));
                visits.push(quote!(visitor.slice::<#element>(#text, &mut args.#id);));
                cpu_fields.push(quote!(#id: &'a [#element]));
                cpu_values.push(quote!(#id: args.#id));
                arguments.push(quote!(args.#id));
            }
            Kind::Segment(element) => {
                fields.push(quote!(#[doc = #doc] pub #id: l::Segments<'a, S, #element>));
                visits.push(quote!(visitor.segments::<#element>(#text, &mut args.#id);));
                cpu_fields.push(quote!(#id: p::CpuSegments<'a, #element>));
                cpu_values.push(quote!(#id: p::CpuSegments::new(args.#id)));
                // SAFETY of the generated call: every block runs once, so its segment is handed out once.
                arguments.push(quote!(&mut unsafe { args.#id.segment(block.index()) }));
            }
            Kind::Shared { .. } => {
                arguments.push(quote!(&mut ::cuda_std::Shared::from_storage(p::SharedStorage::new())));
            }
            Kind::Value => {
                fields.push(quote!(#[doc = #doc] pub #id: #ty));
                visits.push(quote!(visitor.value::<#ty>(#text, &args.#id);));
                cpu_fields.push(quote!(#id: #ty));
                cpu_values.push(quote!(#id: args.#id));
                arguments.push(quote!(args.#id));
            }
        }
    }
    let module_doc = format!("Launching [`{name}`](fn@{name}) from the host.");
    let args_doc = format!("The arguments of a launch of [`{name}`](fn@{name}), by the names of its parameters.");
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc = #module_doc]
        #[allow(unsafe_code)]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            use ::cuda_std::__private as p;
            use ::cuda_std::launch as l;

            #[doc = #args_doc]
            pub struct Args<'a, S: l::Space> {
                #(#fields,)*
            }

            /// The kernel as a type.
            pub enum Kernel {}

            /// Runs a grid of this kernel's blocks: a number of them, `(x, y)` or `(x, y, z)`.
            ///
            /// # Errors
            /// Those of [`Executor::launch`](l::Executor::launch).
            pub fn launch<E: l::Executor>(
                executor: &E,
                grid: impl ::core::convert::Into<::cuda_std::Grid>,
                args: Args<'_, E::Space>,
            ) -> ::core::result::Result<(), E::Error> {
                executor.launch::<Kernel>(grid.into(), args)
            }

            struct CpuArgs<'a> {
                #(#cpu_fields,)*
                _lifetime: ::core::marker::PhantomData<&'a ()>,
            }

            #[inline(always)]
            fn run(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                super::#name(&mut block.block(#threads), #(#arguments),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn run_with_fma(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                run(args, block.in_rising_order());
            }

            // Any order, on any processor: out of line, so that the fast one's loops are compiled without a choice.
            #[inline(never)]
            fn run_in_any_order(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                run(args, block);
            }

            // SAFETY: constants and order of arguments come from the signature that the entry is made of.
            unsafe impl l::Kernel for Kernel {
                const NAME: &'static str = #name_text;
                const DESCRIPTION: &'static str = {
                    const TEXT: &p::cuda_layout::Text = &#description;
                    TEXT.as_str()
                };
                const THREADS: u32 = #threads;
                const DIMENSIONS: u32 = #dimensions;
                type Args<'a, S: l::Space> = Args<'a, S>;

                fn visit<S: l::Space, V: l::ArgVisitor<S>>(args: &mut Args<'_, S>, visitor: &mut V) {
                    let _ = (&args, &visitor);
                    #(#visits)*
                }

                unsafe fn on_cpu<'a>(args: Self::Args<'a, l::Host>) -> impl Fn(p::BlockOnCpu) + Sync + 'a {
                    let args = CpuArgs { #(#cpu_values,)* _lifetime: ::core::marker::PhantomData };
                    move |block: p::BlockOnCpu| {
                        #[cfg(target_arch = "x86_64")]
                        if block.is_in_rising_order() && p::has_fma() {
                            // SAFETY: the processor has these features.
                            return unsafe { run_with_fma(&args, block) };
                        }
                        #[cfg(not(target_arch = "x86_64"))]
                        if block.is_in_rising_order() {
                            return run(&args, block.in_rising_order());
                        }
                        run_in_any_order(&args, block)
                    }
                }
            }
        }
    }
}
