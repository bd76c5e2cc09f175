//! What a kernel's signature says.

use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericArgument, Ident, ItemFn, LitInt, Pat, PathArguments, PathSegment, ReturnType, Token, Type,
    TypeReference,
};

/// `threads = 256, blocks_per_sm = 3`.
pub struct Options {
    pub threads: u32,
    /// 0 where it is not said.
    pub blocks_per_sm: u32,
    /// Dimensions of the grid.
    pub dimensions: u32,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut threads, mut blocks_per_sm, mut dimensions) = (None, 0, 1);
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let literal: LitInt = input.parse()?;
            let value: u32 = literal.base10_parse()?;
            if name == "threads" {
                if value == 0 || !value.is_multiple_of(32) || value > 1024 {
                    return Err(Error::new(literal.span(), "a block has a multiple of 32 threads, at most 1024"));
                }
                threads = Some(value);
            } else if name == "blocks_per_sm" {
                if value == 0 || value > 32 {
                    return Err(Error::new(literal.span(), "a multiprocessor holds 1 to 32 blocks"));
                }
                blocks_per_sm = value;
            } else if name == "grid" {
                if !(1..=3).contains(&value) {
                    return Err(Error::new(literal.span(), "a grid has 1, 2 or 3 dimensions"));
                }
                dimensions = value;
            } else {
                return Err(Error::new(name.span(), "unknown option; there are `threads`, `blocks_per_sm` and `grid`"));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        let threads =
            threads.ok_or_else(|| input.error("say how many threads a block has: #[kernel(threads = 256)]"))?;
        Ok(Self { threads, blocks_per_sm, dimensions })
    }
}

/// A parameter after the block.
pub struct Parameter {
    pub name: Ident,
    pub ty: Type,
    pub kind: Kind,
}

/// What a parameter is.
pub enum Kind {
    /// `&[T]`.
    Slice(Type),
    /// `&mut Segment<T>`.
    Segment(Type),
    /// `&mut Shared<T, N>`.
    Shared { element: Type, length: Box<GenericArgument> },
    /// Anything else, by value.
    Value,
}

/// A kernel's name, block size and parameters.
pub struct Signature {
    pub name: Ident,
    pub threads: u32,
    pub blocks_per_sm: u32,
    pub dimensions: u32,
    pub parameters: Vec<Parameter>,
}

impl Signature {
    pub fn parse(options: Options, function: &ItemFn) -> syn::Result<Self> {
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
        let mut inputs = sig.inputs.iter();
        match inputs.next() {
            Some(FnArg::Typed(first)) if is_mut_ref_to(&first.ty, "Block").is_some() => {}
            other => {
                let span = other.map_or(sig.ident.span(), Spanned::span);
                return Err(Error::new(span, "a kernel's first parameter is its block: `block: &mut Block`"));
            }
        }
        let parameters: Vec<_> = inputs.map(parameter).collect::<syn::Result<_>>()?;
        if !parameters.iter().any(|p| matches!(p.kind, Kind::Segment(_))) {
            return Err(Error::new(sig.ident.span(), "this kernel writes nothing: an output is `&mut Segment<T>`"));
        }
        let Options { threads, blocks_per_sm, dimensions } = options;
        Ok(Self { name: sig.ident.clone(), threads, blocks_per_sm, dimensions, parameters })
    }
}

fn parameter(input: &FnArg) -> syn::Result<Parameter> {
    let FnArg::Typed(typed) = input else {
        return Err(Error::new(input.span(), "a kernel is a free function: it has no `self`"));
    };
    let Pat::Ident(pattern) = &*typed.pat else {
        return Err(Error::new(
            typed.pat.span(),
            "a kernel's parameter has a plain name: the launch is called with it",
        ));
    };
    Ok(Parameter { name: pattern.ident.clone(), ty: (*typed.ty).clone(), kind: kind(&typed.ty)? })
}

fn kind(ty: &Type) -> syn::Result<Kind> {
    if let Some(segment) = is_mut_ref_to(ty, "Segment") {
        let [GenericArgument::Type(element)] = &arguments(segment)[..] else {
            return Err(Error::new(segment.span(), "write the element's type: `&mut Segment<T>`"));
        };
        return Ok(Kind::Segment(element.clone()));
    }
    if let Some(segment) = is_mut_ref_to(ty, "Shared") {
        let [GenericArgument::Type(element), length] = &arguments(segment)[..] else {
            return Err(Error::new(segment.span(), "write element and length: `&mut Shared<T, N>`"));
        };
        return Ok(Kind::Shared { element: element.clone(), length: Box::new(length.clone()) });
    }
    match ty {
        Type::Reference(TypeReference { mutability: None, elem, .. }) => match &**elem {
            Type::Slice(slice) => Ok(Kind::Slice((*slice.elem).clone())),
            _ => Err(Error::new(ty.span(), "a kernel reads buffers as `&[T]`, and takes everything else by value")),
        },
        Type::Reference(_) => Err(Error::new(
            ty.span(),
            "every thread of the grid would hold this `&mut`; outputs are `&mut Segment<T>`, which gives each block its own part",
        )),
        _ => Ok(Kind::Value),
    }
}

/// The last path segment of `&mut path::Name<..>` when its name is `name`.
fn is_mut_ref_to<'t>(ty: &'t Type, name: &str) -> Option<&'t PathSegment> {
    let Type::Reference(TypeReference { mutability: Some(_), elem, .. }) = ty else { return None };
    let Type::Path(path) = &**elem else { return None };
    path.path.segments.last().filter(|segment| segment.ident == name)
}

/// Generic arguments but for lifetimes.
fn arguments(segment: &PathSegment) -> Vec<GenericArgument> {
    match &segment.arguments {
        PathArguments::AngleBracketed(list) => {
            list.args.iter().filter(|a| !matches!(a, GenericArgument::Lifetime(_))).cloned().collect()
        }
        _ => Vec::new(),
    }
}
