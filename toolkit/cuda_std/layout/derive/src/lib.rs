//! The derive macro of `cuda_layout`.
#![forbid(unsafe_code)]

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, parse_macro_input};

/// Implements `DeviceLayout` for a `#[repr(C)]` struct with named fields.
///
/// It does not compile for generic types, tuple structs, enums, structs without `#[repr(C)]`, and those that are aligned to more
/// than 256 bytes.
///
/// See the front page of `cuda_layout` for an example.
#[proc_macro_derive(DeviceLayout)]
pub fn device_layout(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "a type that crosses to the device has one layout: no generics",
        ));
    }
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "DeviceLayout is for structs: an enum has invalid bit patterns"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(name, "DeviceLayout needs named fields: the description lists them"));
    };
    if !is_repr_c(input)? {
        return Err(Error::new_spanned(
            name,
            "DeviceLayout needs #[repr(C)]: Rust's own layout differs from build to build",
        ));
    }
    let pushes = fields.named.iter().enumerate().map(|(i, field)| {
        let ident = field.ident.as_ref().expect("named fields");
        let ty = &field.ty;
        let label = format!("{}{ident}:", if i == 0 { "" } else { "," });
        quote! {
            .push(#label)
            .push(<#ty as ::cuda_layout::DeviceLayout>::TEXT.as_str())
            .push("@")
            .push_usize(::core::mem::offset_of!(#name, #ident))
        }
    });
    let head = format!("{name}{{");
    Ok(quote! {
        const _: () = ::core::assert!(
            ::core::mem::align_of::<#name>() <= 256,
            "what crosses to a device is aligned to 256 bytes at most: its memory is not aligned further"
        );

        // SAFETY: fields, offsets, size and alignment are the compiler's own.
        unsafe impl ::cuda_layout::DeviceLayout for #name {
            const TEXT: &'static ::cuda_layout::Text = &::cuda_layout::Text::new()
                .push(#head)
                #(#pushes)*
                .push("}")
                .push_usize(::core::mem::size_of::<#name>())
                .push(":")
                .push_usize(::core::mem::align_of::<#name>());
        }
    })
}

fn is_repr_c(input: &DeriveInput) -> syn::Result<bool> {
    let mut found = false;
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("repr")) {
        attr.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("C");
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}
