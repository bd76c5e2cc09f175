//! The typed launch, and the kernel on CPU cores.

use crate::generic::{self, Entry};
use crate::kind::Kind;
use crate::options::Requirement;
use crate::signature::{Argument, Group, Parameter, Signature};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Ident, ItemFn, Visibility, parse_quote};

/// The parts of the host's module for one parameter.
#[derive(Default)]
struct Part {
    /// The type of what a launch gives, if it gives something.
    given: Option<TokenStream>,
    /// The call of a visitor.
    visit: TokenStream,
    /// What a launch gives, in another space.
    transfer: TokenStream,
    /// The value of the parameter's name in a requirement.
    view: TokenStream,
    /// A field of the state that a CPU core keeps for all blocks, and its value.
    cpu_field: TokenStream,
    cpu_value: TokenStream,
    /// The argument of the kernel's function.
    argument: TokenStream,
}

/// Copies of the kernel for processors with AVX2, FMA and the bit instructions of that generation, and for those with
/// AVX-512 if the kernel asks for it.
///
/// Calling the same function from code for such a processor would not be enough. A closure has the features of the function
/// that it is written in, and one that is too long to be inlined would be compiled without the processor's features.
pub fn with_features(signature: &Signature, function: &ItemFn) -> TokenStream {
    let version = |suffix: &str, features: &str| {
        let mut function = function.clone();
        function.sig.ident = version_name(&signature.name, suffix);
        function.vis = syn::Visibility::Inherited;
        quote! {
            #[cfg(target_arch = "x86_64")]
            #[doc(hidden)]
            #[target_feature(enable = #features)]
            #function
        }
    };
    let versions = versions(signature).map(|Version { suffix, features, .. }| version(suffix, features));
    quote!(#(#versions)*)
}

/// A version of a kernel for processors with more features than the target's baseline.
struct Version {
    suffix: &'static str,
    features: &'static str,
    /// The function of `cuda_std::launch` that detects them.
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

/// The versions of a kernel. Each takes as long to compile as the kernel itself.
fn versions(signature: &Signature) -> impl Iterator<Item = &'static Version> {
    let avx512 = signature.avx512;
    VERSIONS.iter().filter(move |version| avx512 || version.suffix != "avx512")
}

fn version_name(name: &Ident, suffix: &str) -> Ident {
    format_ident!("__{}_{suffix}", super::plain(name))
}

/// `called` is the function that has the entry's parameters.
pub fn module(signature: &Signature, visibility: &Visibility, called: &Ident) -> TokenStream {
    let (name, generics) = (&signature.name, &signature.generics);
    let parts: Vec<_> = signature.parameters.iter().map(part).collect();
    let fields = fields(signature, &parts);
    let module_doc = format!("Launching [`{name}`](fn@{name}) from the host.");
    let args_doc = format!("The arguments of a launch of [`{name}`](fn@{name}), by the names of its parameters.");
    let of_fields = generic::of_fields(generics, &fields);
    let declared = generic::declarations(&of_fields);
    let elements = elements(signature);
    let entries = super::entries(signature);
    let kernels = if signature.instances.is_empty() {
        plain(signature, called, &entries[0], &parts)
    } else {
        instances(signature, called, &entries, &parts, &of_fields)
    };
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc = #module_doc]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            use ::cuda_std::__private as p;
            use ::cuda_std::launch as l;

            #[doc = #args_doc]
            pub struct Args<'a, InSpace: l::Space, #(#declared),*>
            where
                #(#elements),*
            {
                #fields
            }

            #kernels
        }
    }
}

/// The items beside `Args` of a kernel with one entry.
fn plain(signature: &Signature, called: &Ident, entry: &Entry, parts: &[Part]) -> TokenStream {
    let items = items(signature, called, entry, parts, &quote!(Kernel), &quote!(Args<'a, InSpace>));
    quote! {
        /// The kernel as a type.
        pub enum Kernel {}

        /// Runs a grid of this kernel's blocks: a number of them, `(x, y)` or `(x, y, z)`.
        ///
        /// # Errors
        /// Those of [`Executor::launch`](l::Executor::launch).
        pub fn launch<OnExecutor: l::Executor>(
            executor: &OnExecutor,
            grid: impl ::core::convert::Into<::cuda_std::Grid>,
            args: Args<'_, OnExecutor::Space>,
        ) -> ::core::result::Result<(), OnExecutor::Error> {
            executor.launch::<Kernel>(grid.into(), args)
        }

        #items
    }
}

/// The items beside `Args` of a generic kernel: a type and a launch with its parameters, and a module for each instance.
fn instances(
    signature: &Signature,
    called: &Ident,
    entries: &[Entry],
    parts: &[Part],
    of_fields: &Generics,
) -> TokenStream {
    let (name, generics) = (&signature.name, &signature.generics);
    let (declared, names) = (generic::declarations(generics), generic::names(generics));
    let types = generics.type_params().map(|parameter| &parameter.ident);
    let (fields_declared, fields_names) = (generic::declarations(of_fields), generic::names(of_fields));
    let elements = elements(signature);
    let modules = entries.iter().map(|entry| {
        let (id, bindings) = (&entry.name, &entry.bindings);
        let args = quote!(Args<'a, InSpace, #(#fields_names),*>);
        let items = items(signature, called, entry, parts, &quote!(Kernel<#(#names),*>), &args);
        quote! {
            mod #id {
                #[allow(unused_imports)]
                use super::*;
                #bindings

                impl Instance<#(#fields_names),*> for Kernel<#(#names),*> {
                    fn args<'a, InSpace: l::Space>(args: #args) -> <Self as l::Kernel>::Args<'a, InSpace> {
                        args
                    }
                }

                #items
            }
        }
    });
    let no_instance = format!("kernel `{name}` has no instance `{{Self}}`");
    let listed = entries.iter().map(|entry| format!("`{}`", entry.label)).collect::<Vec<_>>().join(", ");
    let note = format!("its instances are {listed}: name another one in `instances(..)` of its attribute");
    quote! {
        /// The kernel as a type, for each of its instances.
        pub struct Kernel<#(#declared),*>(::core::marker::PhantomData<(#(#types,)*)>);

        /// The bound that a generic function needs to launch [`Kernel`]: the instance exists.
        #[diagnostic::on_unimplemented(message = #no_instance, label = "no instance", note = #note)]
        pub trait Instance<#(#fields_declared),*>: l::Kernel
        where
            #(#elements),*
        {
            #[doc(hidden)]
            fn args<'a, InSpace: l::Space>(
                args: Args<'a, InSpace, #(#fields_names),*>,
            ) -> <Self as l::Kernel>::Args<'a, InSpace>;
        }

        /// Runs a grid of an instance's blocks: a number of them, `(x, y)` or `(x, y, z)`.
        ///
        /// # Errors
        /// Those of [`Executor::launch`](l::Executor::launch).
        pub fn launch<#(#declared,)* OnExecutor: l::Executor>(
            executor: &OnExecutor,
            grid: impl ::core::convert::Into<::cuda_std::Grid>,
            args: Args<'_, OnExecutor::Space, #(#fields_names),*>,
        ) -> ::core::result::Result<(), OnExecutor::Error>
        where
            Kernel<#(#names),*>: Instance<#(#fields_names),*>,
            #(#elements),*
        {
            let args = <Kernel<#(#names),*> as Instance<#(#fields_names),*>>::args(args);
            executor.launch::<Kernel<#(#names),*>>(grid.into(), args)
        }

        #(#modules)*
    }
}

/// The implementation of `l::Kernel` for `kernel`, the type of an entry, with the items that it needs.
fn items(
    signature: &Signature,
    called: &Ident,
    entry: &Entry,
    parts: &[Part],
    kernel: &TokenStream,
    args: &TokenStream,
) -> TokenStream {
    let Entry { home, arguments: instance, .. } = entry;
    let constants = super::constants(signature);
    let [threads, dimensions] = ["THREADS", "DIMENSIONS"].map(super::item);
    let name_text = super::plain(&entry.name);
    let (meets, first) = (signature.meets, format_ident!("{}", if signature.meets { "whole_grid" } else { "block" }));
    let description = super::description(signature, entry);
    let shared_limit = super::shared_limit(signature, entry);
    let visits = parts.iter().map(|part| &part.visit);
    let transfers = transfers(signature, parts);
    let cpu_fields = parts.iter().map(|part| &part.cpu_field);
    let cpu_values = parts.iter().map(|part| &part.cpu_value);
    let arguments: Vec<_> = parts.iter().map(|part| &part.argument).collect();
    let run_versions: Vec<_> = versions(signature)
        .map(|Version { suffix, features, .. }| {
            let (run, version) = (format_ident!("run_{suffix}"), version_name(&signature.name, suffix));
            quote! {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = #features)]
                fn #run(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
                    let block = block.in_rising_order();
                    #home::#version #instance(&mut block.#first(#threads), #(#arguments),*);
                }
            }
        })
        .collect();
    let choices = versions(signature).map(|Version { suffix, has, .. }| {
        let (run, has) = (format_ident!("run_{suffix}"), format_ident!("{has}"));
        quote! {
            #[cfg(target_arch = "x86_64")]
            if block.is_in_rising_order() && l::#has() {
                // SAFETY: the processor has these features.
                return unsafe { #run(&args, block) };
            }
        }
    });
    let requirements = requirements(signature, parts);
    quote! {
        #constants
        #shared_limit

        struct CpuArgs<'a> {
            #(#cpu_fields)*
            _lifetime: ::core::marker::PhantomData<&'a ()>,
        }

        #[inline(always)]
        fn run(args: &CpuArgs<'_>, block: p::BlockOnCpu) {
            #home::#called #instance(&mut block.#first(#threads), #(#arguments),*);
        }

        #(#run_versions)*

        // SAFETY: the constants and the order of the arguments come from the signature that the entry is made from.
        unsafe impl l::Kernel for #kernel {
            const NAME: &'static str = #name_text;
            const DESCRIPTION: &'static str = {
                const TEXT: &p::cuda_layout::Text = &#description;
                TEXT.as_str()
            };
            const THREADS: u32 = #threads;
            const DIMENSIONS: u32 = #dimensions;
            const MEETS: bool = #meets;
            type Args<'a, InSpace: l::Space> = #args;

            fn visit<'v, InSpace: l::Space, ByVisitor: l::ArgVisitor<'v, InSpace>>(
                args: &'v Self::Args<'_, InSpace>,
                visitor: &mut ByVisitor,
            ) {
                let _ = (&args, &visitor);
                #(#visits)*
            }

            fn transfer<'a, FromSpace: l::Space, ToSpace: l::Space, ByTransfer: l::Transfer<'a, FromSpace, ToSpace>>(
                args: Self::Args<'a, FromSpace>,
                by: &mut ByTransfer,
            ) -> ::core::result::Result<Self::Args<'a, ToSpace>, ByTransfer::Error> {
                let _ = &by;
                ::core::result::Result::Ok(Args { #(#transfers),* })
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
                    // Any order, on any processor. The crate that launches compiles this closure. So in the kernel's crate,
                    // each function that the kernel calls has one caller per version, and is inlined.
                    run(&args, block)
                }
            }
        }
    }
}

/// The function that finds the first expression that does not hold.
fn requirements(signature: &Signature, parts: &[Part]) -> TokenStream {
    if signature.requirements.is_empty() {
        return TokenStream::new();
    }
    let views = signature.arguments.iter().filter_map(|argument| match argument {
        Argument::Single(number) => {
            let (name, view) = (&signature.parameters[*number].name, &parts[*number].view);
            (!view.is_empty()).then(|| (name, view.clone()))
        }
        Argument::Group(group) => {
            let views = group.paths.iter().map(Vec::as_slice).zip(&parts[group.parameters.clone()]);
            Some((&group.name, view_of_group(&views.collect::<Vec<_>>())))
        }
    });
    let (names, views): (Vec<_>, Vec<_>) = views.unzip();
    let checks = signature.requirements.iter().map(|Requirement { expression, text }| {
        // With the expression's span, so that type errors point to it.
        quote_spanned! { expression.span() =>
            let holds: bool = #expression;
            if !holds {
                return ::core::option::Option::Some(#text);
            }
        }
    });
    quote! {
        #[allow(unused_variables, unused_parens)]
        fn unmet_requirement<InSpace: l::Space>(
            args: &Self::Args<'_, InSpace>,
            grid: ::cuda_std::Grid,
        ) -> ::core::option::Option<&'static str> {
            // In one statement, because an argument may be called `args`.
            let (#(#names,)*) = (#(#views,)*);
            #(#checks)*
            ::core::option::Option::None
        }
    }
}

/// The value of a group's name in a requirement: a struct with its fields. `fields` has the paths to them, in order.
fn view_of_group(fields: &[(&[Ident], &Part)]) -> TokenStream {
    let of_fields = fields.chunk_by(|(a, _), (b, _)| a.first() == b.first()).filter_map(|field| {
        let (name, part) = (field[0].0.first()?, field[0].1);
        if let [([_], _)] = field {
            return (!part.view.is_empty()).then(|| (name, part.view.clone()));
        }
        let inner: Vec<_> = field.iter().filter_map(|(path, part)| Some((path.get(1..)?, *part))).collect();
        Some((name, view_of_group(&inner)))
    });
    let (names, views): (Vec<_>, Vec<_>) = of_fields.unzip();
    let types: Vec<_> = (0..names.len()).map(|number| format_ident!("Field{number}")).collect();
    quote! {{
        #[allow(dead_code, clippy::items_after_statements)]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        struct Fields<#(#types),*> {
            #(#names: #types),*
        }
        Fields { #(#names: #views),* }
    }}
}

/// The fields of the launch's arguments.
fn fields(signature: &Signature, parts: &[Part]) -> TokenStream {
    let fields = signature.arguments.iter().filter_map(|argument| {
        let (name, given) = match argument {
            Argument::Single(number) => (&signature.parameters[*number].name, parts[*number].given.clone()?),
            Argument::Group(group) => (&group.name, given(group, parts, &quote!(InSpace))?),
        };
        let doc = format!("`{}` of the kernel.", super::plain(name));
        Some(quote!(#[doc = #doc] pub #name: #given,))
    });
    fields.collect()
}

/// The type of what a launch gives for a group, if it gives something.
fn given(group: &Group, parts: &[Part], space: &TokenStream) -> Option<TokenStream> {
    let lasting = group.lasting();
    let any = parts[group.parameters.clone()].iter().any(|part| part.given.is_some());
    any.then(|| quote!(<#lasting as l::Arguments>::Args<'a, #space>))
}

/// The launch's arguments, one by one, in another space.
fn transfers(signature: &Signature, parts: &[Part]) -> Vec<TokenStream> {
    let transfers = signature.arguments.iter().filter_map(|argument| match argument {
        Argument::Single(number) => {
            let (name, Part { given, transfer, .. }) = (&signature.parameters[*number].name, &parts[*number]);
            given.as_ref().map(|_| quote!(#name: #transfer))
        }
        Argument::Group(group) => {
            let (name, given) = (&group.name, given(group, parts, &quote!(ToSpace))?);
            let parts = parts[group.parameters.clone()].iter().filter(|part| part.given.is_some());
            let transfers = parts.map(|part| &part.transfer);
            Some(quote!(#name: <#given>::__of_values(#(#transfers),*)))
        }
    });
    transfers.collect()
}

/// Passes the function element types and lengths as the entry's module resolves them, because the launch has checked those. If
/// a path or an alias means something else in the function's signature, the types differ, and the build stops.
fn part(parameter: &Parameter) -> Part {
    // Lengths are items, so a launch checks what the function has. An expression could mean another type or constant at each place, and
    // at run time a `const fn` may return something else, such as the sign of a NaN.
    let Parameter { name: id, text, place, ty, .. } = parameter;
    let given = parameter.kind.given(ty, &parse_quote!('a));
    match &parameter.kind {
        Kind::Slice(element) => Part {
            given,
            visit: quote!(visitor.slice::<#element>(#text, &args.#place);),
            transfer: quote!(by.read::<#element>(#text, args.#place)?),
            view: quote!(l::BufferShape { len: InSpace::len(&args.#place) }),
            cpu_field: quote!(#id: &'a [#element],),
            cpu_value: quote!(#id: args.#place,),
            argument: quote!(args.#id),
        },
        Kind::Segment(element) => Part {
            given,
            visit: quote!(visitor.segments::<#element>(#text, &args.#place);),
            transfer: quote!(l::Segments {
                data: by.write::<#element>(#text, args.#place.data)?,
                offsets: by.offsets(#text, args.#place.offsets)?,
            }),
            view: quote!(args.#place.shape()),
            cpu_field: quote!(#id: p::CpuSegments<'a, #element>,),
            cpu_value: quote!(#id: p::CpuSegments::new(args.#place),),
            // SAFETY of the generated calls here and below: every block runs once, so its part is handed out once.
            argument: quote!(&mut unsafe { args.#id.segment(block.index()) }),
        },
        Kind::Chunk { element, .. } => {
            let length = super::item_of("LENGTH", parameter);
            Part {
                given,
                visit: quote!(visitor.chunks::<#element>(#text, &args.#place, #length);),
                transfer: quote!(by.write::<#element>(#text, args.#place)?),
                view: quote!(l::BufferShape { len: InSpace::len_mut(&args.#place) }),
                cpu_field: quote!(#id: p::CpuOutput<'a, #element>,),
                cpu_value: quote!(#id: p::CpuOutput::new(args.#place, 1),),
                argument: quote!(&mut unsafe { args.#id.chunk::<#length, _>(block) }),
            }
        }
        Kind::Tile2d { element, .. } => {
            let [rows, columns] = ["ROWS", "COLUMNS"].map(|what| super::item_of(what, parameter));
            Part {
                given,
                visit: quote!(visitor.matrix::<#element>(#text, &args.#place, [#rows, #columns]);),
                transfer: quote!(l::Matrix {
                    data: by.write::<#element>(#text, args.#place.data)?,
                    columns: args.#place.columns,
                }),
                view: quote!(args.#place.shape()),
                cpu_field: quote!(#id: p::CpuOutput<'a, #element>,),
                cpu_value: quote!(#id: p::CpuOutput::new(args.#place.data, args.#place.columns),),
                argument: quote!(&mut unsafe { args.#id.tile_2d::<#rows, #columns, _>(block) }),
            }
        }
        Kind::Atomics { element, scope } => {
            let scope = scope.as_ref().map_or_else(|| quote!(::cuda_std::scope::Device), ToTokens::to_token_stream);
            Part {
                given,
                visit: quote!(visitor.atomics::<#element>(#text, &args.#place);),
                transfer: quote!(by.write::<#element>(#text, args.#place)?),
                view: quote!(l::BufferShape { len: InSpace::len_mut(&args.#place) }),
                cpu_field: quote!(#id: ::cuda_std::Atomics<'a, #element, #scope>,),
                cpu_value: quote!(#id: p::atomics(args.#place),),
                argument: quote!(&args.#id),
            }
        }
        Kind::Scatter(element) => Part {
            given,
            visit: quote!(visitor.scatter::<#element>(#text, &args.#place);),
            transfer: quote!(by.write::<#element>(#text, args.#place)?),
            view: quote!(l::BufferShape { len: InSpace::len_mut(&args.#place) }),
            cpu_field: quote!(#id: ::cuda_std::Scatter<'a, #element>,),
            cpu_value: quote!(#id: p::scatter(args.#place),),
            argument: quote!(&args.#id),
        },
        Kind::GridMemory(element) => Part {
            given,
            visit: quote!(visitor.atomics::<#element>(#text, &args.#place);),
            transfer: quote!(by.write::<#element>(#text, args.#place)?),
            view: quote!(l::BufferShape { len: InSpace::len_mut(&args.#place) }),
            cpu_field: quote!(#id: p::CpuOutput<'a, #element>,),
            cpu_value: quote!(#id: p::CpuOutput::new(args.#place, 1),),
            argument: quote!(&mut unsafe { args.#id.grid_memory() }),
        },
        Kind::Shared { element, length } => Part {
            argument: quote!(&mut ::cuda_std::Shared::from_storage(p::SharedStorage::<#element, #length>::new())),
            ..Part::default()
        },
        Kind::DynamicShared(element) => Part {
            given,
            visit: quote!(visitor.dynamic_shared::<#element>(#text, args.#place);),
            transfer: quote!(args.#place),
            view: quote!(l::BufferShape { len: args.#place.0 as usize }),
            cpu_field: quote!(#id: l::DynamicLength,),
            cpu_value: quote!(#id: args.#place,),
            argument: quote! {
                &mut ::cuda_std::DynamicShared::from_storage(p::DynamicStorage::<#element>::new(args.#id.0))
            },
        },
        Kind::Value => Part {
            given,
            visit: quote!(visitor.value::<#ty>(#text, &args.#place);),
            transfer: quote!(args.#place),
            view: quote!(args.#place),
            cpu_field: quote!(#id: #ty,),
            cpu_value: quote!(#id: args.#place,),
            argument: quote!(args.#id),
        },
    }
}

/// The bounds of a generic launch: element types of buffers have a device layout. Groups may have any bound that the kernel has.
fn elements(signature: &Signature) -> Vec<TokenStream> {
    let names = generic::names(&signature.generics);
    let is_open = |ty: &syn::Type| names.iter().any(|name| generic::mentions(&ty.to_token_stream(), name));
    let mut bounds = Vec::new();
    for argument in &signature.arguments {
        match argument {
            Argument::Single(number) => {
                let kind = &signature.parameters[*number].kind;
                let element = kind.element().filter(|_| !matches!(kind, Kind::Shared { .. } | Kind::DynamicShared(_)));
                let element = element.filter(|ty| is_open(ty));
                bounds.extend(element.map(|ty| quote!(#ty: ::cuda_std::__private::cuda_layout::DeviceLayout)));
            }
            Argument::Group(group) if is_open(&group.ty) => {
                bounds.extend(generic::bounds(&generic::of_fields(&signature.generics, &group.ty.to_token_stream())));
            }
            Argument::Group(_) => {}
        }
    }
    bounds
}
