//! The kinds of a kernel's parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, GenericArgument, Ident, Lifetime, PathArguments, PathSegment, Type, TypeReference, parse_quote};

/// The kind of a parameter.
pub enum Kind {
    /// `&[T]`.
    Slice(Type),
    /// `&mut Segment<T>`; this and the next two may also have an access as the last argument.
    Segment(Type),
    /// `&mut Chunk<T, N>`.
    Chunk { element: Type, length: Box<GenericArgument> },
    /// `&mut Tile2d<T, ROWS, COLUMNS>`.
    Tile2d { element: Type, rows: Box<GenericArgument>, columns: Box<GenericArgument> },
    /// `&Atomics<T>` or `&Atomics<T, SCOPE>`.
    Atomics { element: Type, scope: Option<Box<GenericArgument>> },
    /// `&Scatter<T>`.
    Scatter(Type),
    /// `&mut GridMemory<T>`.
    GridMemory(Type),
    /// `&mut Shared<T, N>`.
    Shared { element: Type, length: Box<GenericArgument> },
    /// `&mut DynamicShared<T>`.
    DynamicShared(Type),
    /// Anything else, by value.
    Value,
}

impl Kind {
    /// The kind of a parameter of type `ty`.
    pub fn of(ty: &Type) -> syn::Result<Self> {
        if let Some(segment) = is_mut_ref_to(ty, "Segment") {
            let [GenericArgument::Type(element)] = &without_access(segment)[..] else {
                return Err(Error::new(segment.span(), "write the element's type: `&mut Segment<T>`"));
            };
            return Ok(Self::Segment(element.clone()));
        }
        if let Some(segment) = is_mut_ref_to(ty, "Shared") {
            let [GenericArgument::Type(element), length] = &arguments(segment)[..] else {
                return Err(Error::new(segment.span(), "write element and length: `&mut Shared<T, N>`"));
            };
            return Ok(Self::Shared { element: element.clone(), length: Box::new(length.clone()) });
        }
        if let Some(segment) = is_mut_ref_to(ty, "Chunk") {
            let [GenericArgument::Type(element), length] = &without_access(segment)[..] else {
                return Err(Error::new(segment.span(), "write element and length: `&mut Chunk<T, N>`"));
            };
            return Ok(Self::Chunk { element: element.clone(), length: Box::new(length.clone()) });
        }
        if let Some(segment) = is_mut_ref_to(ty, "Tile2d") {
            let [GenericArgument::Type(element), rows, columns] = &without_access(segment)[..] else {
                return Err(Error::new(
                    segment.span(),
                    "write element, rows and columns: `&mut Tile2d<T, ROWS, COLUMNS>`",
                ));
            };
            let (rows, columns) = (Box::new(rows.clone()), Box::new(columns.clone()));
            return Ok(Self::Tile2d { element: element.clone(), rows, columns });
        }
        if let Some(segment) = is_mut_ref_to(ty, "DynamicShared") {
            let [GenericArgument::Type(element)] = &arguments(segment)[..] else {
                return Err(Error::new(segment.span(), "write the element's type: `&mut DynamicShared<T>`"));
            };
            return Ok(Self::DynamicShared(element.clone()));
        }
        if let Some(segment) = is_mut_ref_to(ty, "GridMemory") {
            let [GenericArgument::Type(element)] = &arguments(segment)[..] else {
                return Err(Error::new(segment.span(), "write the element's type: `&mut GridMemory<T>`"));
            };
            return Ok(Self::GridMemory(element.clone()));
        }
        if let Some(segment) = is_mut_ref_to(ty, "Atomics") {
            return Err(Error::new(segment.span(), "all blocks share these: write `&Atomics<T>`"));
        }
        if let Some(segment) = is_mut_ref_to(ty, "Scatter") {
            return Err(Error::new(segment.span(), "all blocks write there: `&Scatter<T>`"));
        }
        match ty {
            Type::Reference(TypeReference { mutability: None, elem, .. }) => match &**elem {
                Type::Slice(slice) => Ok(Self::Slice((*slice.elem).clone())),
                Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Atomics") => {
                    let segment = path.path.segments.last().map(arguments).unwrap_or_default();
                    match &segment[..] {
                        [GenericArgument::Type(element)] => Ok(Self::Atomics { element: element.clone(), scope: None }),
                        [GenericArgument::Type(element), scope] => {
                            Ok(Self::Atomics { element: element.clone(), scope: Some(Box::new(scope.clone())) })
                        }
                        _ => Err(Error::new(path.span(), "write the element's type: `&Atomics<T>`")),
                    }
                }
                Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Scatter") => {
                    match &path.path.segments.last().map(arguments).unwrap_or_default()[..] {
                        [GenericArgument::Type(element)] => Ok(Self::Scatter(element.clone())),
                        _ => Err(Error::new(path.span(), "write the element's type: `&Scatter<T>`")),
                    }
                }
                _ => Err(Error::new(ty.span(), "a kernel reads buffers as `&[T]`, and takes everything else by value")),
            },
            Type::Reference(_) => Err(Error::new(
                ty.span(),
                "every thread of the grid would hold this `&mut`; outputs are `&mut Segment<T>`, `&mut Chunk<T, N>` and `&mut Tile2d<T, ROWS, COLUMNS>`, which give each block its own part",
            )),
            _ => match no_value(ty) {
                Some(instead) => Err(Error::new(ty.span(), instead)),
                None => Ok(Self::Value),
            },
        }
    }

    /// The kind of the parameter that is field `index` of a group. `group` and its fields have the kind called `name`.
    pub fn of_field(name: &Ident, group: &Type, index: usize) -> syn::Result<Self> {
        let field = quote!(<#group as ::cuda_std::__private::Field<#index>>);
        let element: Type = parse_quote!(#field::Element);
        let length = |which: usize| -> Box<GenericArgument> { Box::new(parse_quote!({ #field::LENGTHS[#which] })) };
        Ok(match name.to_string().as_str() {
            "slice" => Self::Slice(element),
            "segment" => Self::Segment(element),
            "chunk" => Self::Chunk { element, length: length(0) },
            "tile_2d" => Self::Tile2d { element, rows: length(0), columns: length(1) },
            "atomics" => Self::Atomics { element, scope: Some(Box::new(parse_quote!(#field::Scope))) },
            "scatter" => Self::Scatter(element),
            "grid_memory" => Self::GridMemory(element),
            "shared" => Self::Shared { element, length: length(0) },
            "dynamic_shared" => Self::DynamicShared(element),
            "value" => Self::Value,
            _ => return Err(Error::new(name.span(), "no kind of parameter")),
        })
    }

    /// The name of the kind, for [`of_field`](Self::of_field).
    pub fn name(&self) -> &'static str {
        match self {
            Self::Slice(_) => "slice",
            Self::Segment(_) => "segment",
            Self::Chunk { .. } => "chunk",
            Self::Tile2d { .. } => "tile_2d",
            Self::Atomics { .. } => "atomics",
            Self::Scatter(_) => "scatter",
            Self::GridMemory(_) => "grid_memory",
            Self::Shared { .. } => "shared",
            Self::DynamicShared(_) => "dynamic_shared",
            Self::Value => "value",
        }
    }

    /// The type of its elements; a value has none.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::Slice(element)
            | Self::Segment(element)
            | Self::Scatter(element)
            | Self::GridMemory(element)
            | Self::DynamicShared(element)
            | Self::Chunk { element, .. }
            | Self::Tile2d { element, .. }
            | Self::Atomics { element, .. }
            | Self::Shared { element, .. } => Some(element),
            Self::Value => None,
        }
    }

    /// Up to two lengths that are part of the type.
    pub fn lengths(&self) -> Vec<&GenericArgument> {
        match self {
            Self::Chunk { length, .. } | Self::Shared { length, .. } => vec![length],
            Self::Tile2d { rows, columns, .. } => vec![rows, columns],
            _ => Vec::new(),
        }
    }

    /// The type of what a launch gives in the memory `InSpace`, for that time. A launch does not see shared arrays of fixed length.
    pub fn given(&self, ty: &Type, lifetime: &Lifetime) -> Option<TokenStream> {
        Some(match self {
            Self::Slice(element) => quote!(InSpace::Ref<#lifetime, #element>),
            Self::Segment(element) => quote!(::cuda_std::launch::Segments<#lifetime, InSpace, #element>),
            Self::Tile2d { element, .. } => quote!(::cuda_std::launch::Matrix<#lifetime, InSpace, #element>),
            Self::Chunk { element, .. }
            | Self::Atomics { element, .. }
            | Self::Scatter(element)
            | Self::GridMemory(element) => quote!(InSpace::Mut<#lifetime, #element>),
            Self::DynamicShared(_) => quote!(::cuda_std::launch::DynamicLength),
            Self::Value => quote!(#ty),
            Self::Shared { .. } => return None,
        })
    }

    pub fn is_output(&self) -> bool {
        matches!(
            self,
            Self::Segment(_)
                | Self::Chunk { .. }
                | Self::Tile2d { .. }
                | Self::Atomics { .. }
                | Self::Scatter(_)
                | Self::GridMemory(_)
        )
    }
}

/// What to write instead of a common type that has no device layout.
fn no_value(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else {
        return match ty {
            Type::ImplTrait(_) | Type::TraitObject(_) => Some(
                "no closure crosses: pass plain data, a struct with #[derive(DeviceLayout)] and a method; where a launch \
                 chooses among several, make the kernel generic over a trait and name its instances",
            ),
            Type::FnPtr(_) => Some(
                "host and device have other addresses for a function: pass plain data, a number or a struct with \
                 #[derive(DeviceLayout)], and let the kernel choose by it",
            ),
            _ => None,
        };
    };
    match path.path.get_ident()?.to_string().as_str() {
        "bool" => Some("not every byte is a `bool`, so it does not cross: pass a `u32`, and compare it with 0"),
        "char" => Some("not every number is a `char`, so it does not cross: pass a `u32`"),
        "usize" | "isize" => Some("its size is the platform's, so it does not cross: pass a `u32` or a `u64`"),
        _ => None,
    }
}

/// The last path segment of `&mut path::Name<..>` when its name is `name`.
pub fn is_mut_ref_to<'t>(ty: &'t Type, name: &str) -> Option<&'t PathSegment> {
    let Type::Reference(TypeReference { mutability: Some(_), elem, .. }) = ty else { return None };
    let Type::Path(path) = &**elem else { return None };
    path.path.segments.last().filter(|segment| segment.ident == name)
}

/// Generic arguments of an output, without lifetimes and without the access, which concerns only the kernel.
fn without_access(segment: &PathSegment) -> Vec<GenericArgument> {
    let mut arguments = arguments(segment);
    if let Some(GenericArgument::Type(Type::Path(path))) = arguments.last()
        && path.path.segments.last().is_some_and(|last| last.ident == "WriteOnly" || last.ident == "ReadWrite")
    {
        arguments.pop();
    }
    arguments
}

/// Generic arguments without lifetimes.
fn arguments(segment: &PathSegment) -> Vec<GenericArgument> {
    match &segment.arguments {
        PathArguments::AngleBracketed(list) => {
            list.args.iter().filter(|a| !matches!(a, GenericArgument::Lifetime(_))).cloned().collect()
        }
        _ => Vec::new(),
    }
}
