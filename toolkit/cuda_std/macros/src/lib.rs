//! The `#[kernel]` attribute of `cuda_std`.
#![forbid(unsafe_code)]

mod expand;
mod generic;
mod group;
mod kind;
mod options;
mod raw;
mod signature;

use group::{Leaf, Unfinished};
use options::Options;
use proc_macro2::TokenStream;
use signature::Signature;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Turns a function of one thread block into a kernel. The documentation is at `cuda_std::kernel`.
#[proc_macro_attribute]
pub fn kernel(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    if raw::is_raw(&function) {
        let options = parse_macro_input!(options as raw::Options);
        return raw::expand(&options, &function).unwrap_or_else(|error| error.into_compile_error()).into();
    }
    if let syn::Safety::Unsafe(word) = &function.sig.safety {
        let safe = "a kernel of a block is safe: write `fn`; an `unsafe fn` without a block is a raw kernel";
        return syn::Error::new(word.span(), safe).into_compile_error().into();
    }
    finished(Unfinished::kernel(options.into(), function).resume())
}

/// The kernel, once the fields of its groups are known.
fn expand_kernel(options: TokenStream, function: &ItemFn, groups: &[Vec<Leaf>]) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(options)?;
    Ok(expand::expand(&Signature::parse(options, function, groups)?, function, groups))
}

/// Makes a group of a struct, whose fields are parameters of a kernel. The documentation is at `cuda_std::Arguments`.
#[proc_macro_derive(Arguments)]
pub fn arguments(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    finished(Unfinished::arguments(item).resume())
}

/// A function that kernels share and that takes groups. The documentation is at `cuda_std::kernel_part`.
#[proc_macro_attribute]
pub fn kernel_part(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    if !options.is_empty() {
        let none = "`kernel_part` has no options";
        return syn::Error::new(function.sig.ident.span(), none).into_compile_error().into();
    }
    finished(Unfinished::part(function).resume())
}

/// Goes on with a kernel or a group when the fields of another group are known.
#[doc(hidden)]
#[proc_macro]
pub fn with_groups(state: proc_macro::TokenStream) -> proc_macro::TokenStream {
    finished(parse_macro_input!(state as Unfinished).resume())
}

fn finished(expanded: syn::Result<TokenStream>) -> proc_macro::TokenStream {
    expanded.unwrap_or_else(|error| error.into_compile_error()).into()
}

/// `shared_array![T; LEN]`: a static array in shared memory, as a generic pointer `*mut T`, for raw kernels. Each place in
/// the source has one array, however often it is reached. It is not initialised and is aligned to 16 bytes. Using it is an
/// unsafe operation.
///
/// `T` and `LEN` are resolved in the module around the function, not among the function's own items and parameters: the
/// array is declared outside the function, so that the optimiser cannot repeat the declaration.
///
/// See `cuda_std::compat::shared` for an example.
#[proc_macro]
pub fn shared_array(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    raw::shared_array(&parse_macro_input!(input as raw::SharedArray)).into()
}
