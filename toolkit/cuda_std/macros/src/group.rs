//! Groups: structs whose fields are a kernel's parameters.
//!
//! A kernel's expansion needs the fields of its groups, which are declared elsewhere. So `#[derive(Arguments)]` declares a macro
//! with the struct's name, which gives its fields to the macro that asks for them. [`Unfinished::resume`] asks group after group, and then
//! expands the kernel, or the struct that contains other groups.

use crate::expand::{hidden, plain};
use crate::generic;
use crate::kind::Kind;
use crate::signature::check_macros;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::sync::atomic::{AtomicU32, Ordering};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Field, FnArg, GenericArgument, GenericParam, Generics, Ident, ItemFn, Lifetime, Path,
    PathArguments, Token, Type, Visibility, braced, bracketed, parse_quote,
};

/// A parameter of the entry: the fields that lead to it, and the name of its kind.
#[derive(Clone)]
pub struct Leaf {
    pub path: Vec<Ident>,
    pub kind: Ident,
}

impl Parse for Leaf {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let names;
        bracketed!(names in input);
        let mut path = Vec::new();
        while !names.is_empty() {
            path.push(names.parse()?);
        }
        Ok(Self { path, kind: input.parse()? })
    }
}

impl ToTokens for Leaf {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { path, kind } = self;
        tokens.extend(quote!([#(#path)*] #kind));
    }
}

/// The macro with the fields of a group: the path of a type that has a lifetime. No value has one.
pub fn macro_of(ty: &Type) -> Option<Path> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    if path.qself.is_some() || !arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_))) {
        return None;
    }
    let mut path = path.path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
    Some(path)
}

/// The type of a group with another lifetime.
pub fn with_lifetime(ty: &Type, lifetime: &Lifetime) -> Type {
    let mut ty = ty.clone();
    if let Type::Path(path) = &mut ty
        && let Some(PathArguments::AngleBracketed(list)) = path.path.segments.last_mut().map(|last| &mut last.arguments)
    {
        for argument in &mut list.args {
            if let GenericArgument::Lifetime(old) = argument {
                *old = lifetime.clone();
            }
        }
    }
    ty
}

/// The type of a group with the longest lifetime.
pub fn lasting(ty: &Type) -> Type {
    with_lifetime(ty, &Lifetime::new("'static", ty.span()))
}

/// What is expanded when the fields of all groups in it are known.
pub struct Unfinished {
    /// `kernel {options} {function}`, `part {function}` or `arguments {struct}`.
    item: Item,
    /// The macros of the groups.
    wanted: Vec<Path>,
    /// The fields of the first groups.
    known: Vec<Vec<Leaf>>,
}

enum Item {
    Kernel { options: TokenStream, function: Box<ItemFn> },
    Part(Box<ItemFn>),
    Arguments(Box<DeriveInput>),
}

impl Unfinished {
    pub fn kernel(options: TokenStream, function: ItemFn) -> Self {
        let wanted = wanted(&function);
        Self { item: Item::Kernel { options, function: Box::new(function) }, wanted, known: Vec::new() }
    }

    pub fn part(function: ItemFn) -> Self {
        let wanted = wanted(&function);
        Self { item: Item::Part(Box::new(function)), wanted, known: Vec::new() }
    }

    pub fn arguments(item: DeriveInput) -> Self {
        let fields = match &item.data {
            Data::Struct(data) => data.fields.iter().filter_map(|field| macro_of(&field.ty)).collect(),
            _ => Vec::new(),
        };
        Self { item: Item::Arguments(Box::new(item)), wanted: fields, known: Vec::new() }
    }

    /// Asks the next group for its fields, or expands the item.
    pub fn resume(self) -> syn::Result<TokenStream> {
        let Self { item, wanted, known } = self;
        let Some(next) = wanted.get(known.len()) else {
            return match item {
                Item::Kernel { options, function } => crate::expand_kernel(options, &function, &known),
                Item::Part(function) => crate::expand::fields::shared(&function, &known),
                Item::Arguments(item) => Ok(group(&item, known)),
            };
        };
        let item = match item {
            Item::Kernel { options, function } => quote!(kernel { #options } { #function }),
            Item::Part(function) => quote!(part { #function }),
            Item::Arguments(item) => quote!(arguments { #item }),
        };
        Ok(quote! {
            #next! { { ::cuda_std::__private::with_groups } #item [#(#wanted),*] #({ #(#known),* })* }
        })
    }
}

/// The macros of a function's groups.
fn wanted(function: &ItemFn) -> Vec<Path> {
    let types = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => macro_of(&typed.ty),
        FnArg::Receiver(_) => None,
    });
    types.collect()
}

impl Parse for Unfinished {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        fn in_braces<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
            let content;
            braced!(content in input);
            content.parse()
        }
        let what: Ident = input.parse()?;
        let item = if what == "kernel" {
            Item::Kernel { options: in_braces(input)?, function: in_braces(input)? }
        } else if what == "part" {
            Item::Part(in_braces(input)?)
        } else {
            Item::Arguments(in_braces(input)?)
        };
        let list;
        bracketed!(list in input);
        let wanted = Punctuated::<Path, Token![,]>::parse_terminated(&list)?.into_iter().collect();
        let mut known = Vec::new();
        while !input.is_empty() {
            let leaves;
            braced!(leaves in input);
            known.push(Punctuated::<Leaf, Token![,]>::parse_terminated(&leaves)?.into_iter().collect());
        }
        Ok(Self { item, wanted, known })
    }
}

/// A field of a group's struct.
struct Member<'i> {
    field: &'i Field,
    name: &'i Ident,
    /// Its parameters, of which there is one unless it is a group, too.
    leaves: Vec<Leaf>,
    /// The number of the first one in the group.
    first: usize,
    is_group: bool,
}

impl Member<'_> {
    /// Whether a launch gives something for it.
    fn is_given(&self) -> bool {
        self.given().next().is_some()
    }

    /// Those of its parameters for which a launch gives something: the number in the member, a name in generated code, and the leaf.
    fn given(&self) -> impl Iterator<Item = (usize, Ident, &Leaf)> {
        let leaves = self.leaves.iter().enumerate().filter(|(_, leaf)| leaf.kind != "shared");
        leaves.map(|(inner, leaf)| (inner, argument(self.first + inner), leaf))
    }
}

/// The name of a parameter in generated functions.
fn argument(number: usize) -> Ident {
    hidden(&format!("argument_{number}"))
}

/// What `#[derive(Arguments)]` adds to a struct. After an error it is a macro that gives nothing, so that kernels add no other error.
fn group(item: &DeriveInput, nested: Vec<Vec<Leaf>>) -> TokenStream {
    let members = match members(item, nested) {
        Ok(members) => members,
        Err(error) => {
            let (error, nothing) = (error.into_compile_error(), fields_macro(item, &TokenStream::new()));
            return quote!(#error #nothing);
        }
    };
    let leaves = members.iter().flat_map(|member| &member.leaves);
    let fields = fields_macro(item, &quote!($($callback)*! { $($state)* { #(#leaves),* } }));
    let (in_kernel, in_launch) = (in_kernel(item, &members), in_launch(item, &members));
    quote!(#fields #in_kernel #in_launch)
}

/// The macro that gives the fields, under the name of the struct. (Types and macros have separate names.)
fn fields_macro(item: &DeriveInput, result: &TokenStream) -> TokenStream {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let (name, visibility) = (&item.ident, &item.vis);
    // Exported macros are at the root of the crate, where two groups may have the same name.
    let hidden = format_ident!("__arguments_{}_{}", COUNT.fetch_add(1, Ordering::Relaxed), plain(name));
    let export = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros)]
        #export
        macro_rules! #hidden {
            ({ $($callback:tt)* } $($state:tt)*) => { #result };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #visibility use #hidden as #name;
    }
}

fn members(item: &DeriveInput, nested: Vec<Vec<Leaf>>) -> syn::Result<Vec<Member<'_>>> {
    let Data::Struct(data) = &item.data else {
        return Err(Error::new(item.ident.span(), "a group of arguments is a struct"));
    };
    if item.generics.lifetimes().count() != 1 {
        let one = "a group of arguments has one lifetime, that of a launch: `struct Group<'a> { x: &'a [f32] }`";
        return Err(Error::new(item.ident.span(), one));
    }
    let (mut members, mut first, mut nested) = (Vec::new(), 0, nested.into_iter());
    for field in &data.fields {
        let Some(name) = &field.ident else {
            return Err(Error::new(field.span(), "a launch gives arguments by name: name this field"));
        };
        check_macros(&field.ty.to_token_stream())?;
        let (leaves, is_group) = if macro_of(&field.ty).is_some() {
            let inner = nested.next().unwrap_or_default().into_iter();
            let leaves =
                inner.map(|Leaf { path, kind }| Leaf { path: [name.clone()].into_iter().chain(path).collect(), kind });
            (leaves.collect(), true)
        } else {
            let kind = Kind::of(&field.ty)?;
            let kind = Ident::new(kind.name(), Span::call_site());
            (vec![Leaf { path: vec![name.clone()], kind }], false)
        };
        let count = leaves.len();
        members.push(Member { field, name, leaves, first, is_group });
        first += count;
    }
    if members.is_empty() {
        return Err(Error::new(item.ident.span(), "a group of arguments has fields"));
    }
    Ok(members)
}

/// The types of the fields, for kernels.
fn in_kernel(item: &DeriveInput, members: &[Member<'_>]) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, names, bounds) = item.generics.split_for_impl();
    let leaves = members.iter().flat_map(|member| (0..member.leaves.len()).map(move |inner| (member, inner)));
    let fields = leaves.map(|(Member { field, first, is_group, .. }, inner)| {
        let (ty, index) = (&field.ty, first + inner);
        let items = if *is_group {
            let of = quote!(<#ty as ::cuda_std::__private::Field<#inner>>);
            quote! {
                type Element = #of::Element;
                type Scope = #of::Scope;
                type Argument = #of::Argument;
                const LENGTHS: [::core::primitive::usize; 2] = #of::LENGTHS;
            }
        } else {
            own_field(ty)
        };
        quote! {
            #[allow(unused_braces)]
            impl #impl_generics ::cuda_std::__private::Field<#index> for #name #names #bounds {
                #items
            }
        }
    });
    let groups = members.iter().filter(|member| member.is_group).map(|Member { field, first, .. }| {
        let ty = &field.ty;
        quote! {
            impl #impl_generics ::cuda_std::__private::Member<#first> for #name #names #bounds {
                type Group = #ty;
            }
        }
    });
    let own = members.iter().filter(|member| !member.is_group);
    let checks = own.filter_map(|member| layout_check(&member.field.ty));
    quote! {
        #(#fields)*
        #(#groups)*

        impl #impl_generics #name #names #bounds {
            #[allow(dead_code)]
            fn __check_layouts() {
                #(#checks)*
            }
        }
    }
}

/// A call that compiles if the field has a layout, with the span of its type.
fn layout_check(ty: &Type) -> Option<TokenStream> {
    let kind = Kind::of(ty).ok().filter(|kind| !matches!(kind, Kind::Shared { .. }))?;
    let element = kind.element().unwrap_or(ty);
    Some(quote_spanned!(element.span()=> ::cuda_std::__private::crosses::<#element>();))
}

/// The items of `Field` for a field that is a parameter itself.
fn own_field(ty: &Type) -> TokenStream {
    let Ok(kind) = Kind::of(ty) else { return TokenStream::new() };
    let element = kind.element().unwrap_or(ty);
    let scope = match &kind {
        Kind::Atomics { scope: Some(scope), .. } => scope.to_token_stream(),
        Kind::Atomics { scope: None, .. } => quote!(::cuda_std::scope::Device),
        _ => quote!(()),
    };
    let lengths = kind.lengths();
    let lengths = (0..2).map(|which| lengths.get(which).map_or_else(|| quote!(0), |length| length.to_token_stream()));
    quote! {
        type Element = #element;
        type Scope = #scope;
        type Argument = #ty;
        const LENGTHS: [::core::primitive::usize; 2] = [#(#lengths),*];
    }
}

/// The struct of what a launch gives, and the function that makes it of the values of all parameters.
fn in_launch(item: &DeriveInput, members: &[Member<'_>]) -> TokenStream {
    let members: Vec<_> = members.iter().filter(|member| member.is_given()).collect();
    if members.is_empty() {
        return TokenStream::new();
    }
    let (name, visibility) = (&item.ident, &item.vis);
    let args = format_ident!("{}Args", plain(name), span = name.span());
    // The group's own lifetime, which bounds may mention.
    let Some(lifetime) = item.generics.lifetimes().next().map(|parameter| &parameter.lifetime) else {
        return TokenStream::new();
    };
    let types: Vec<_> = members
        .iter()
        .map(|Member { field, is_group, .. }| {
            let ty = &field.ty;
            match Kind::of(ty) {
                Ok(kind) if !is_group => kind.given(ty, lifetime).unwrap_or_default(),
                _ => {
                    let lasting = lasting(ty);
                    quote!(<#lasting as ::cuda_std::launch::Arguments>::Args<#lifetime, InSpace>)
                }
            }
        })
        .collect();
    let fields = members.iter().zip(&types).map(|(Member { field, name, .. }, ty)| {
        let doc = format!("`{}` of the group.", plain(name));
        let docs = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        quote!(#[doc = #doc] #[doc = ""] #(#docs)* pub #name: #ty)
    });
    let all = quote!(#(#types)*);
    let in_space = generic::mentions(&all, &Ident::new("InSpace", Span::call_site()));
    let kept = without_defaults(generic::of_fields(&item.generics, &all));
    let (declared, kept_names) = (&kept.params, generic::names(&kept));
    let space = in_space.then(|| quote!(#lifetime, InSpace,));
    let bounded = in_space.then(|| quote!(#lifetime, InSpace: ::cuda_std::launch::Space,));
    let bounds = &kept.where_clause;
    let parameters = members.iter().zip(&types).flat_map(|(member, ty)| {
        let lasting = lasting(&member.field.ty);
        member.given().map(move |(inner, argument, leaf)| {
            let element: Type = parse_quote!(<#lasting as p::Field<#inner>>::Element);
            let of_group = || Kind::of_field(&leaf.kind, &lasting, inner).ok()?.given(&element, lifetime);
            let ty = if member.is_group { of_group() } else { Some(ty.clone()) };
            quote!(#argument: #ty)
        })
    });
    let values = members.iter().zip(&types).map(|(member, ty)| {
        let (name, arguments) = (member.name, member.given().map(|(_, argument, _)| argument));
        if member.is_group { quote!(#name: <#ty>::__of_values(#(#arguments),*)) } else { quote!(#name: #(#arguments)*) }
    });
    let mut leaves = members.iter().flat_map(|member| &member.leaves);
    let only_read = leaves.all(|leaf| leaf.kind == "slice" || leaf.kind == "value");
    let copies = (only_read && in_space).then(|| copies(&args, &kept, lifetime, &members));
    let (impl_generics, names, group_bounds) = item.generics.split_for_impl();
    let of_launch = Lifetime::new("'__cuda_std_launch", Span::call_site());
    let of_launch_space = in_space.then(|| quote!(#of_launch, InSpace,));
    let doc = format!("The arguments of a launch for a kernel's [`{}`].", plain(name));
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc = #doc]
        #visibility struct #args<#bounded #declared> #bounds {
            #(#fields),*
        }

        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            use ::cuda_std::__private as p;
            use ::cuda_std::launch as l;

            impl<#bounded #declared> #args<#space #(#kept_names),*> #bounds {
                #[doc(hidden)]
                #[allow(clippy::too_many_arguments)]
                #[inline]
                pub fn __of_values(#(#parameters),*) -> Self {
                    Self { #(#values),* }
                }
            }

            impl #impl_generics l::Arguments for #name #names #group_bounds {
                type Args<#of_launch, InSpace: l::Space> = #args<#of_launch_space #(#kept_names),*>;
            }

            #copies
        };
    }
}

/// What a group has that a launch only reads: copies for several launches, and for shorter ones.
fn copies(args: &Ident, generics: &Generics, lifetime: &Lifetime, members: &[&Member<'_>]) -> TokenStream {
    let (declared, names, bounds) = (&generics.params, generic::names(generics), &generics.where_clause);
    let shorter = members.iter().map(|Member { name, leaves, is_group, .. }| {
        if *is_group {
            quote!(#name: self.#name.shorter())
        } else if leaves.iter().all(|leaf| leaf.kind == "slice") {
            quote!(#name: InSpace::shorter(self.#name))
        } else {
            quote!(#name: self.#name)
        }
    });
    quote! {
        impl<#lifetime, InSpace: l::Space, #declared> ::core::clone::Clone for #args<#lifetime, InSpace, #(#names),*> #bounds {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<#lifetime, InSpace: l::Space, #declared> ::core::marker::Copy for #args<#lifetime, InSpace, #(#names),*> #bounds {}

        impl<#lifetime, InSpace: l::Space, #declared> #args<#lifetime, InSpace, #(#names),*> #bounds {
            /// The same buffers, borrowed for a shorter time.
            #[must_use]
            pub fn shorter(&self) -> #args<'_, InSpace, #(#names),*> {
                #args { #(#shorter),* }
            }
        }
    }
}

fn without_defaults(mut generics: Generics) -> Generics {
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => parameter.default = None,
            GenericParam::Const(parameter) => parameter.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}
