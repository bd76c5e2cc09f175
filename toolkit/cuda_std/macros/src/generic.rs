//! Generic kernels. Each instance is a PTX entry with its own name.

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

/// Checks that instances match the parameters of a generic kernel: types for types, constants for constants.
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
        crate::signature::check_macros(&arguments.to_token_stream())?;
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

/// A PTX entry: a kernel, or an instance of a generic one.
pub struct Entry {
    pub name: Ident,
    /// The entry's text in descriptions. It contains the types, so instances for different types differ.
    pub label: String,
    /// The values of the kernel's generic parameters, as items of the entry's module.
    pub bindings: TokenStream,
    /// The path from the entry's module to the kernel's functions.
    pub home: TokenStream,
    pub arguments: TokenStream,
}

impl Entry {
    /// The entry of a kernel that is not generic.
    pub fn plain(name: &Ident) -> Self {
        let nothing = TokenStream::new;
        let (name, label) = (name.clone(), crate::expand::plain(name));
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
        // With the span of the instance's name, so that the compiler reports unmet bounds there.
        let names = names(generics).into_iter().map(|id| Ident::new(&id.to_string(), name.span()));
        Self {
            name: name.clone(),
            label: crate::expand::plain(name) + &text,
            bindings: quote!(#(#bindings)*),
            home: quote!(super::super),
            arguments: quote_spanned!(name.span()=> ::<#(#names),*>),
        }
    }
}

/// The names of the parameters.
pub fn names(generics: &Generics) -> Vec<&Ident> {
    let names = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// Declarations of the parameters for another item, without bounds.
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

/// The parameters that occur in the types of a launch's arguments. The others occur only in the kernel's code.
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
    let dropped: Vec<_> = names(generics).into_iter().filter(|name| !names(&kept).contains(name)).cloned().collect();
    if let Some(clause) = &mut kept.where_clause {
        let predicates = clause.predicates.iter();
        let of_kept = predicates.filter(|bound| !dropped.iter().any(|name| mentions(&bound.to_token_stream(), name)));
        clause.predicates = of_kept.cloned().collect();
    }
    kept
}

/// The bounds of the parameters, as a where clause has them.
pub fn bounds(generics: &Generics) -> Vec<TokenStream> {
    let of_parameters = generics.type_params().filter(|parameter| !parameter.bounds.is_empty()).map(|parameter| {
        let (id, bounds) = (&parameter.ident, &parameter.bounds);
        quote!(#id: #bounds)
    });
    let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    of_parameters.chain(clause.map(ToTokens::to_token_stream)).collect()
}

/// Whether the parameter `name` occurs in `tokens`.
pub fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}
