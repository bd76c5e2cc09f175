//! Generic kernels: their instances, each of which is a PTX entry with a name of its own.

use crate::signature::{Kind, Parameter};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{AngleBracketedGenericArguments, Error, GenericArgument, GenericParam, Generics, Ident, Token};

/// `scale_f32 = <f32, 256>`.
pub struct Instance {
    name: Ident,
    arguments: AngleBracketedGenericArguments,
}

impl Parse for Instance {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self { name, arguments: input.parse()? })
    }
}

/// Checks that instances give each parameter of a generic kernel what it is.
pub fn check(generics: &Generics, instances: &[Instance]) -> syn::Result<()> {
    if let Some(lifetime) = generics.lifetimes().next() {
        return Err(Error::new(lifetime.span(), "a kernel has no lifetimes: its arguments live as long as a launch"));
    }
    if generics.params.is_empty() {
        return match instances.first() {
            Some(instance) => Err(Error::new(instance.name.span(), "only a generic kernel has instances")),
            None => Ok(()),
        };
    }
    if instances.is_empty() {
        let names = "a generic kernel names its instances, each of which becomes a PTX entry: \
                     #[kernel(threads = 256, instances(NAME = <TYPES AND CONSTANTS>))]";
        return Err(Error::new(generics.span(), names));
    }
    instances.iter().try_for_each(|Instance { name, arguments }| {
        let (given, wanted) = (arguments.args.len(), generics.params.len());
        if given != wanted {
            let count = format!("instance `{name}` gives {given} of types and constants, and its kernel has {wanted}");
            return Err(Error::new(arguments.span(), count));
        }
        arguments.args.iter().zip(&generics.params).try_for_each(|pair| match pair {
            (GenericArgument::Const(value), GenericParam::Type(parameter)) => {
                Err(Error::new(value.span(), format!("`{}` is a type", parameter.ident)))
            }
            (GenericArgument::Type(_), _) | (GenericArgument::Const(_), GenericParam::Const(_)) => Ok(()),
            (other, _) => Err(Error::new(other.span(), "write a type or a constant")),
        })
    })
}

/// What becomes one PTX entry: a kernel, or an instance of a generic one.
pub struct Entry {
    pub name: Ident,
    /// The entry in descriptions, so that PTX of an instance for other types is another text.
    pub label: String,
    /// What the kernel's parameters stand for, as items of the entry's module.
    pub bindings: TokenStream,
    /// Where the entry's module reaches the kernel's functions, and what is behind their names.
    pub home: TokenStream,
    pub arguments: TokenStream,
}

impl Entry {
    /// That of a kernel without parameters for types and constants.
    pub fn plain(name: &Ident) -> Self {
        let nothing = TokenStream::new;
        let (name, label) = (name.clone(), name.to_string());
        Self { name, label, bindings: nothing(), home: quote!(super), arguments: nothing() }
    }

    pub fn of_instance(generics: &Generics, Instance { name, arguments }: &Instance) -> Self {
        let bindings = generics.params.iter().zip(&arguments.args).map(|(parameter, argument)| match parameter {
            GenericParam::Const(parameter) => {
                let (id, ty) = (&parameter.ident, &parameter.ty);
                quote!(#[allow(dead_code, non_upper_case_globals, unused_braces)] const #id: #ty = #argument;)
            }
            GenericParam::Type(parameter) => {
                let id = &parameter.ident;
                quote!(#[allow(dead_code, non_camel_case_types)] type #id = #argument;)
            }
            GenericParam::Lifetime(_) => TokenStream::new(),
        });
        let text: String = arguments.to_token_stream().to_string().split_whitespace().collect();
        // At the instance's name: there the compiler says that these are not what the kernel asks for.
        let names = names(generics).into_iter().map(|id| Ident::new(&id.to_string(), name.span()));
        Self {
            name: name.clone(),
            label: format!("{name}{text}"),
            bindings: quote!(#(#bindings)*),
            home: quote!(super::super),
            arguments: quote_spanned!(name.span()=> ::<#(#names),*>),
        }
    }
}

/// The parameters by name.
pub fn names(generics: &Generics) -> Vec<&Ident> {
    let names = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// The parameters as another item declares them, without what the kernel asks of them.
pub fn declarations(generics: &Generics) -> Vec<TokenStream> {
    let declared = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Const(parameter) => {
            let (id, ty) = (&parameter.ident, &parameter.ty);
            quote!(const #id: #ty)
        }
        GenericParam::Type(parameter) => parameter.ident.to_token_stream(),
        GenericParam::Lifetime(lifetime) => lifetime.to_token_stream(),
    });
    declared.collect()
}

/// The parameters that the fields of a launch's arguments are made of. Others say what the kernel does, and no field.
pub fn of_fields(generics: &Generics, fields: &TokenStream) -> Generics {
    let mut kept = generics.clone();
    kept.params = generics
        .params
        .iter()
        .filter(|parameter| match parameter {
            GenericParam::Type(parameter) => mentions(fields, &parameter.ident),
            GenericParam::Const(parameter) => mentions(fields, &parameter.ident),
            GenericParam::Lifetime(_) => false,
        })
        .cloned()
        .collect();
    kept
}

/// What a launch asks of types that its kernel leaves open: that elements of buffers cross.
pub fn elements(generics: &Generics, parameters: &[Parameter]) -> Vec<TokenStream> {
    let elements = parameters.iter().filter_map(|parameter| match &parameter.kind {
        Kind::Slice(element) | Kind::Segment(element) | Kind::Scatter(element) | Kind::GridMemory(element) => {
            Some(element)
        }
        Kind::Chunk { element, .. } | Kind::Tile2d { element, .. } | Kind::Atomics { element, .. } => Some(element),
        Kind::Shared { .. } | Kind::DynamicShared(_) | Kind::Value => None,
    });
    let open = elements.filter(|ty| names(generics).iter().any(|name| mentions(&ty.to_token_stream(), name)));
    open.map(|ty| quote!(#ty: ::cuda_std::__private::cuda_layout::DeviceLayout)).collect()
}

fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}
