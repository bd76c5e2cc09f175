//! The typed launch, and the kernel on CPU cores.

use crate::signature::{Kind, Parameter, Requirement, Signature};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ItemFn};

/// What the host's module holds of one parameter.
#[derive(Default)]
struct Part {
    /// A field of the launch's arguments.
    field: TokenStream,
    /// How a visitor sees it.
    visit: TokenStream,
    /// What a requirement sees under the parameter's name.
    view: TokenStream,
    /// A field of what a core keeps for all blocks, and its value.
    cpu_field: TokenStream,
    cpu_value: TokenStream,
    /// What the kernel's function gets.
    argument: TokenStream,
}

/// The kernel once more for processors with AVX2 and FMA, and the instructions on bits that came with them; and for those
/// with AVX-512.
///
/// The function itself, compiled into code for such a processor, would not do: its closures are functions by themselves,
/// and one that is too long to become part of the code around it would be left without the processor's features. A
/// closure has the features of the function that it is written in.
pub fn with_features(function: &ItemFn) -> TokenStream {
    let version = |suffix: &str, features: &str| {
        let mut function = function.clone();
        function.sig.ident = version_name(&function.sig.ident, suffix);
        function.vis = syn::Visibility::Inherited;
        quote! {
            #[cfg(target_arch = "x86_64")]
            #[doc(hidden)]
            #[target_feature(enable = #features)]
            #function
        }
    };
    let versions = VERSIONS.map(|Version { suffix, features, .. }| version(suffix, features));
    quote!(#(#versions)*)
}

/// A version of a kernel for processors that have more than all of their kind.
struct Version {
    suffix: &'static str,
    features: &'static str,
    /// The function of `cuda_std::launch` that says whether this one has it.
    has: &'static str,
}

/// The best one first.
const VERSIONS: [Version; 2] = [
    Version {
        suffix: "avx512",
        features: "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl",
        has: "has_wide_vector_instructions",
    },
    Version { suffix: "avx2", features: "avx2,fma,bmi1,bmi2,lzcnt,popcnt", has: "has_vector_instructions" },
];

fn version_name(name: &Ident, suffix: &str) -> Ident {
    format_ident!("__{name}_{suffix}")
}

pub fn module(
    signature: &Signature,
    description: &TokenStream,
    shared_limit: &TokenStream,
    function: &ItemFn,
) -> TokenStream {
    let name = &signature.name;
    let name_text = name.to_string();
    let threads = signature.threads;
    let dimensions = signature.dimensions;
    let visibility = &function.vis;
    let parts: Vec<_> = signature.parameters.iter().map(part).collect();
    let fields = parts.iter().map(|part| &part.field);
    let visits = parts.iter().map(|part| &part.visit);
    let cpu_fields = parts.iter().map(|part| &part.cpu_field);
    let cpu_values = parts.iter().map(|part| &part.cpu_value);
    let arguments: Vec<_> = parts.iter().map(|part| &part.argument).collect();
    let versions: Vec<_> = VERSIONS
        .iter()
        .map(|Version { suffix, features, .. }| {
            let (run, kernel) = (format_ident!("run_{suffix}"), version_name(name, suffix));
            quote! {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = #features)]
                fn #run(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                    let block = block.in_rising_order();
                    super::#kernel(&mut block.block(#threads), #(#arguments),*);
                }
            }
        })
        .collect();
    let choices = VERSIONS.iter().map(|Version { suffix, has, .. }| {
        let (run, has) = (format_ident!("run_{suffix}"), format_ident!("{has}"));
        quote! {
            #[cfg(target_arch = "x86_64")]
            if block.is_in_rising_order() && l::#has() {
                // SAFETY: the processor has these features.
                return unsafe { #run(&args, block) };
            }
        }
    });
    let requirements = requirements(&signature.requirements, &parts);
    let module_doc = format!("Launching [`{name}`](fn@{name}) from the host.");
    let args_doc = format!("The arguments of a launch of [`{name}`](fn@{name}), by the names of its parameters.");
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc = #module_doc]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            use ::cuda_std::__private as p;
            use ::cuda_std::launch as l;

            #shared_limit

            #[doc = #args_doc]
            pub struct Args<'a, S: l::Space> {
                #(#fields)*
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
                #(#cpu_fields)*
                _lifetime: ::core::marker::PhantomData<&'a ()>,
            }

            #[inline(always)]
            fn run(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                super::#name(&mut block.block(#threads), #(#arguments),*);
            }

            #(#versions)*

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

                #requirements

                unsafe fn on_cpu<'a>(args: Self::Args<'a, l::Host>) -> impl Fn(p::BlockOnCpu) + Sync + 'a {
                    let args = CpuArgs { #(#cpu_values)* _lifetime: ::core::marker::PhantomData };
                    move |block: p::BlockOnCpu| {
                        #(#choices)*
                        #[cfg(not(target_arch = "x86_64"))]
                        if block.is_in_rising_order() {
                            return run(&args, block.in_rising_order());
                        }
                        // Any order, on any processor. This closure is compiled in the crate that launches, so that in this
                        // one what the kernel calls has one caller in each version, and becomes part of it.
                        run(&args, block)
                    }
                }
            }
        }
    }
}

/// The function that finds the first expression that does not hold.
fn requirements(requirements: &[Requirement], parts: &[Part]) -> TokenStream {
    if requirements.is_empty() {
        return TokenStream::new();
    }
    let views = parts.iter().map(|part| &part.view);
    let checks = requirements.iter().map(|Requirement { expression, text }| {
        // With the expression's span a mistyped one is pointed at.
        quote_spanned! { expression.span() =>
            let holds: bool = #expression;
            if !holds {
                return ::core::option::Option::Some(#text);
            }
        }
    });
    quote! {
        #[allow(unused_variables, unused_parens)]
        fn unmet_requirement<S: l::Space>(
            args: &Args<'_, S>,
            grid: ::cuda_std::Grid,
        ) -> ::core::option::Option<&'static str> {
            #(#views)*
            #(#checks)*
            ::core::option::Option::None
        }
    }
}

fn part(parameter: &Parameter) -> Part {
    let (id, ty) = (&parameter.name, &parameter.ty);
    let text = id.to_string();
    let doc = format!("`{id}` of the kernel.");
    let field = |ty: &dyn ToTokens| quote!(#[doc = #doc] pub #id: #ty,);
    match &parameter.kind {
        Kind::Slice(element) => Part {
            field: field(&quote!(S::Ref<'a, #element>)),
            visit: quote!(visitor.slice::<#element>(#text, &mut args.#id);),
            view: quote!(let #id = l::BufferShape { len: S::len(&args.#id) };),
            cpu_field: quote!(#id: &'a [#element],),
            cpu_value: quote!(#id: args.#id,),
            argument: quote!(args.#id),
        },
        Kind::Segment(element) => Part {
            field: field(&quote!(l::Segments<'a, S, #element>)),
            visit: quote!(visitor.segments::<#element>(#text, &mut args.#id);),
            view: quote!(let #id = args.#id.shape();),
            cpu_field: quote!(#id: p::CpuSegments<'a, #element>,),
            cpu_value: quote!(#id: p::CpuSegments::new(args.#id),),
            // SAFETY of the generated calls here and below: every block runs once, so its part is handed out once.
            argument: quote!(&mut unsafe { args.#id.segment(block.index()) }),
        },
        Kind::Chunk { element, length } => Part {
            field: field(&quote!(S::Mut<'a, #element>)),
            visit: quote!(visitor.chunks::<#element>(#text, &mut args.#id, #length);),
            view: quote!(let #id = l::BufferShape { len: S::len_mut(&args.#id) };),
            cpu_field: quote!(#id: p::CpuOutput<'a, #element>,),
            cpu_value: quote!(#id: p::CpuOutput::new(args.#id, 1),),
            argument: quote!(&mut unsafe { args.#id.chunk(block) }),
        },
        Kind::Tile2d { element, rows, columns } => Part {
            field: field(&quote!(l::Matrix<'a, S, #element>)),
            visit: quote!(visitor.matrix::<#element>(#text, &mut args.#id, [#rows, #columns]);),
            view: quote!(let #id = args.#id.shape();),
            cpu_field: quote!(#id: p::CpuOutput<'a, #element>,),
            cpu_value: quote!(#id: p::CpuOutput::new(args.#id.data, args.#id.columns),),
            argument: quote!(&mut unsafe { args.#id.tile_2d(block) }),
        },
        Kind::Atomics { element, scope } => {
            let scope = scope.as_ref().map_or_else(|| quote!(::cuda_std::scope::Device), ToTokens::to_token_stream);
            Part {
                field: field(&quote!(S::Mut<'a, #element>)),
                visit: quote!(visitor.atomics::<#element>(#text, &mut args.#id);),
                view: quote!(let #id = l::BufferShape { len: S::len_mut(&args.#id) };),
                cpu_field: quote!(#id: ::cuda_std::Atomics<'a, #element, #scope>,),
                cpu_value: quote!(#id: p::atomics(args.#id),),
                argument: quote!(&args.#id),
            }
        }
        Kind::Shared { .. } => {
            Part { argument: quote!(&mut ::cuda_std::Shared::from_storage(p::SharedStorage::new())), ..Part::default() }
        }
        Kind::DynamicShared(element) => Part {
            field: field(&quote!(l::DynamicLength)),
            visit: quote!(visitor.dynamic_shared::<#element>(#text, args.#id);),
            view: quote!(let #id = l::BufferShape { len: args.#id.0 as usize };),
            cpu_field: quote!(#id: l::DynamicLength,),
            cpu_value: quote!(#id: args.#id,),
            argument: quote!(&mut ::cuda_std::DynamicShared::from_storage(p::DynamicStorage::new(args.#id.0))),
        },
        Kind::Value => Part {
            field: field(ty),
            visit: quote!(visitor.value::<#ty>(#text, &args.#id);),
            view: quote!(let #id = args.#id;),
            cpu_field: quote!(#id: #ty,),
            cpu_value: quote!(#id: args.#id,),
            argument: quote!(args.#id),
        },
    }
}
