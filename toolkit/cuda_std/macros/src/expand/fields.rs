//! Functions whose groups are passed field by field.
//!
//! A compiler knows of a reference that is a parameter that it is not null, and that nothing else writes there. Of a reference in a
//! struct in memory it knows something else. So a function has its groups' fields as parameters, and the groups are made in it, where
//! they never get to memory. Code is then the same with groups as with single parameters.

use super::{hidden, item, plain};
use crate::generic;
use crate::group::{Leaf, macro_of, with_lifetime};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, FnArg, Generics, Ident, ItemFn, Lifetime, Pat, Stmt, Type, parse_quote};

/// The function with the fields of its groups as single parameters, by another name; `None` if it has no groups.
pub fn with_fields(function: &ItemFn, groups: &[Vec<Leaf>]) -> Option<ItemFn> {
    let (mut inputs, mut made, mut lifetimes) = (Vec::new(), Vec::<Stmt>::new(), Vec::new());
    let mut groups = groups.iter();
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else { return None };
        let Some(path) = macro_of(&typed.ty) else {
            inputs.push(input.clone());
            continue;
        };
        let number = lifetimes.len();
        let lifetime = Lifetime::new(&format!("'__cuda_std_group_{number}"), Span::call_site());
        let (pattern, ty) = (&typed.pat, with_lifetime(&typed.ty, &lifetime));
        let fields: Vec<_> = groups.next().into_iter().flatten().enumerate().collect();
        let name = |field: usize| hidden(&format!("field_{number}_{field}"));
        inputs.extend(fields.iter().map(|&(field, _)| -> FnArg {
            let name = name(field);
            parse_quote!(#name: <#ty as ::cuda_std::__private::Field<#field>>::Argument)
        }));
        let fields: Vec<_> = fields.iter().map(|(field, leaf)| (&leaf.path[..], name(*field))).collect();
        let mut literal = Literal { generics: &function.sig.generics, aliases: Vec::new() };
        let value = literal.of(&quote!(#path), &ty, &fields, &lifetime);
        made.extend(literal.aliases);
        made.push(parse_quote!(let #pattern = #value;));
        lifetimes.push(parse_quote!(#lifetime));
    }
    if lifetimes.is_empty() {
        return None;
    }
    let mut function = function.clone();
    function.sig.ident = name_with_fields(&function.sig.ident);
    function.vis = syn::Visibility::Inherited;
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    function.sig.inputs = inputs.into_iter().collect();
    function.sig.generics.params = lifetimes.into_iter().chain(function.sig.generics.params).collect();
    made.append(&mut function.block.stmts);
    function.block.stmts = made;
    Some(function)
}

fn name_with_fields(name: &Ident) -> Ident {
    format_ident!("__{}_with_fields", plain(name))
}

/// Writes the value of a group.
struct Literal<'f> {
    generics: &'f Generics,
    /// Names for the types of groups in groups, which have none where the function is.
    aliases: Vec<Stmt>,
}

impl Literal<'_> {
    /// The group `path` of type `ty`, of the paths to its fields and their values.
    fn of(&mut self, path: &TokenStream, ty: &Type, fields: &[(&[Ident], Ident)], lifetime: &Lifetime) -> TokenStream {
        let (mut values, mut first) = (Vec::new(), 0usize);
        for member in fields.chunk_by(|(a, _), (b, _)| a.first() == b.first()) {
            let Some(name) = member[0].0.first() else { continue };
            values.push(match member {
                [([_], value)] => quote!(#name: #value),
                _ => {
                    let kept = generic::of_fields(self.generics, &quote!(#ty));
                    let (declared, names) = (generic::declarations(&kept), generic::names(&kept));
                    let alias = item(&format!("GROUP_{}", plain(&member[0].1)));
                    self.aliases.push(parse_quote! {
                        #[allow(non_camel_case_types)]
                        type #alias<#lifetime, #(#declared),*> = <#ty as ::cuda_std::__private::Member<#first>>::Group;
                    });
                    let inner: Vec<_> = member.iter().map(|(path, value)| (&path[1..], value.clone())).collect();
                    let ty = parse_quote!(#alias<#lifetime, #(#names),*>);
                    let value = self.of(&quote!(#alias), &ty, &inner, lifetime);
                    quote!(#name: #value)
                }
            });
            first += member.len();
        }
        quote!(#path { #(#values),* })
    }
}

/// A function that kernels share, and the macro that calls it.
pub fn shared(function: &ItemFn, groups: &[Vec<Leaf>]) -> syn::Result<TokenStream> {
    let (mut matched, mut arguments, mut leaves) = (Vec::new(), Vec::new(), groups.iter());
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else {
            return Err(Error::new(input.span(), "a `kernel_part` is a free function: it has no `self`"));
        };
        let Pat::Ident(pattern) = &*typed.pat else {
            return Err(Error::new(typed.pat.span(), "a parameter of a `kernel_part` has a plain name"));
        };
        let name = &pattern.ident;
        if macro_of(&typed.ty).is_none() {
            matched.push(quote!($#name:expr));
            arguments.push(quote!($#name));
            continue;
        }
        matched.push(quote!($#name:ident));
        let paths = leaves.next().into_iter().flatten().map(|leaf| &leaf.path);
        arguments.extend(paths.map(|path| quote!($#name #(.#path)*)));
    }
    let Some(with_fields) = with_fields(function, groups) else {
        let none = "this function takes no group: it needs no `kernel_part`";
        return Err(Error::new(function.sig.ident.span(), none));
    };
    let (name, called) = (&function.sig.ident, &with_fields.sig.ident);
    let (matched_generics, generics) = if generic::names(&function.sig.generics).is_empty() {
        (TokenStream::new(), TokenStream::new())
    } else {
        (quote!(<$($generic:ty),+>), quote!(::<$($generic),+>))
    };
    Ok(quote! {
        #[allow(clippy::too_many_arguments)]
        #with_fields

        macro_rules! #name {
            (#matched_generics #(#matched),* $(,)?) => { #called #generics(#(#arguments),*) };
        }
    })
}
