//! Parses a kernel's signature.

use crate::generic::{self, Instance};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Error, Expr, ExprLit, FnArg, GenericArgument, Generics, Ident, ItemFn, Lit, LitInt, Pat, PathArguments,
    PathSegment, ReturnType, Token, Type, TypeReference,
};

/// `threads = 256, blocks_per_sm = 3, grid = 2, requires(n > 0), instances(scale_f32 = <f32>), avx512`.
pub struct Options {
    /// A constant expression.
    pub threads: TokenStream,
    pub blocks_per_sm: BlocksPerSm,
    /// Dimensions of the grid, if given.
    pub dimensions: Option<u32>,
    pub requirements: Vec<Requirement>,
    pub instances: Vec<Instance>,
    /// Whether to compile another version for CPU cores with AVX-512.
    pub avx512: bool,
}

/// The number of blocks that a multiprocessor should hold at a time: `= 3`, or `(sm_75 = 2, sm_90 = 4)`. In the list, each number holds
/// from that chip on.
#[derive(Clone, Default)]
pub struct BlocksPerSm(Vec<(u32, u32)>);

impl BlocksPerSm {
    /// A number from 1 to 32.
    fn number(input: ParseStream<'_>) -> syn::Result<u32> {
        let literal: LitInt = input.parse()?;
        match literal.base10_parse()? {
            blocks @ 1..=32 => Ok(blocks),
            _ => Err(Error::new(literal.span(), "a multiprocessor holds 1 to 32 blocks")),
        }
    }

    /// `sm_90 = 4` or `sm_90 = none`, after the chips that were named before.
    fn of_chip(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let name: Ident = input.parse()?;
        let chip = name.to_string().strip_prefix("sm_").and_then(|digits| digits.parse().ok());
        let chip = chip.ok_or_else(|| Error::new(name.span(), "name chips like `sm_90`"))?;
        if self.0.last().is_some_and(|&(before, _)| before >= chip) {
            return Err(Error::new(name.span(), "name older chips first: a number holds from its chip on"));
        }
        input.parse::<Token![=]>()?;
        let is_none = input.fork().parse::<Ident>().is_ok_and(|word| word == "none");
        let blocks = if is_none { input.parse::<Ident>().map(|_| 0)? } else { Self::number(input)? };
        self.0.push((chip, blocks));
        Ok(())
    }

    /// What follows the option's name.
    fn after_name(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.parse::<Option<Token![=]>>()?.is_some() {
            return Ok(Self(vec![(0, Self::number(input)?)]));
        }
        let list;
        syn::parenthesized!(list in input);
        let mut blocks = Self::default();
        while !list.is_empty() {
            blocks.of_chip(&list)?;
            list.parse::<Option<Token![,]>>()?;
        }
        Ok(blocks)
    }

    /// As the build reads it: `0` if it is not given, `3`, or `75=2,90=4`. There `0` stands for `none`.
    pub fn mark(&self) -> String {
        match self.0[..] {
            [] => "0".to_owned(),
            [(0, blocks)] => blocks.to_string(),
            ref list => list.iter().map(|(chip, blocks)| format!("{chip}={blocks}")).collect::<Vec<_>>().join(","),
        }
    }
}

/// A condition on a launch's arguments.
pub struct Requirement {
    pub expression: Expr,
    /// Its source text.
    pub text: String,
}

impl Requirement {
    /// The expressions of `(a, b)`.
    fn parse_list(input: ParseStream<'_>) -> syn::Result<Vec<Self>> {
        let list;
        let parentheses = syn::parenthesized!(list in input);
        let expressions = list.parse_terminated(Expr::parse, Token![,])?;
        // Spans of tokens leave out what is between them, so the text of the whole list is split at commas.
        let text = parentheses.span.join().source_text().unwrap_or_default();
        let mut texts = split_at_commas(text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(""));
        if texts.len() != expressions.len() {
            texts = expressions.iter().map(|expression| expression.to_token_stream().to_string()).collect();
        }
        Ok(expressions.into_iter().zip(texts).map(|(expression, text)| Self { expression, text }).collect())
    }
}

/// The parts of a text between commas outside of brackets, each on one line.
fn split_at_commas(text: &str) -> Vec<String> {
    let mut depth = 0i32;
    let parts = text.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    });
    let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    parts.map(one_line).filter(|part| !part.is_empty()).collect()
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut threads, mut blocks_per_sm, mut dimensions) = (None, BlocksPerSm::default(), None);
        let (mut requirements, mut instances, mut avx512) = (Vec::new(), Vec::new(), false);
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            if name == "requires" {
                requirements.extend(Requirement::parse_list(input)?);
                input.parse::<Option<Token![,]>>()?;
                continue;
            }
            if name == "instances" {
                let list;
                syn::parenthesized!(list in input);
                instances.extend(list.parse_terminated(Instance::parse, Token![,])?);
                input.parse::<Option<Token![,]>>()?;
                continue;
            }
            if name == "avx512" {
                avx512 = true;
                input.parse::<Option<Token![,]>>()?;
                continue;
            }
            if name == "blocks_per_sm" {
                blocks_per_sm = BlocksPerSm::after_name(input)?;
                input.parse::<Option<Token![,]>>()?;
                continue;
            }
            input.parse::<Token![=]>()?;
            if name == "threads" {
                threads = Some(threads_in_block(&input.parse()?)?);
                input.parse::<Option<Token![,]>>()?;
                continue;
            }
            let literal: LitInt = input.parse()?;
            let value: u32 = literal.base10_parse()?;
            if name == "grid" {
                if !(1..=3).contains(&value) {
                    return Err(Error::new(literal.span(), "a grid has 1, 2 or 3 dimensions"));
                }
                dimensions = Some(value);
            } else {
                return Err(Error::new(
                    name.span(),
                    "unknown option; there are `threads`, `blocks_per_sm`, `grid`, `requires(..)`, `instances(..)` and `avx512`",
                ));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        let threads =
            threads.ok_or_else(|| input.error("say how many threads a block has: #[kernel(threads = 256)]"))?;
        Ok(Self { threads, blocks_per_sm, dimensions, requirements, instances, avx512 })
    }
}

/// The number of threads as a constant expression of type `u32`. A literal is checked here, a named constant when it is
/// evaluated.
fn threads_in_block(value: &Expr) -> syn::Result<TokenStream> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            let n: u32 = number.base10_parse()?;
            if n == 0 || !n.is_multiple_of(32) || n > 1024 {
                return Err(Error::new(number.span(), "a block has a multiple of 32 threads, at most 1024"));
            }
            Ok(quote!(#n))
        }
        Expr::Lit(other) => Err(Error::new(other.span(), "expected integer literal")),
        named => Ok(quote_spanned!(named.span()=> ::cuda_std::__private::threads_in_block((#named) as u128))),
    }
}

/// A parameter after the block.
pub struct Parameter {
    pub name: Ident,
    pub ty: Type,
    pub kind: Kind,
}

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

/// A kernel's name, block size and parameters.
pub struct Signature {
    pub name: Ident,
    pub generics: Generics,
    pub instances: Vec<Instance>,
    pub threads: TokenStream,
    pub blocks_per_sm: BlocksPerSm,
    pub dimensions: u32,
    /// Whether its blocks meet: its first parameter is a `WholeGrid`.
    pub meets: bool,
    pub requirements: Vec<Requirement>,
    pub parameters: Vec<Parameter>,
    pub avx512: bool,
}

impl Kind {
    fn is_output(&self) -> bool {
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

impl Signature {
    pub fn parse(options: Options, function: &ItemFn) -> syn::Result<Self> {
        let sig = &function.sig;
        check_macros(&sig.inputs.to_token_stream())?;
        check_macros(&options.threads)?;
        generic::check(&sig.generics, &options.instances)?;
        if let ReturnType::Type(_, ty) = &sig.output {
            return Err(Error::new(ty.span(), "a kernel returns nothing: it writes its outputs"));
        }
        if let Some(word) = sig.asyncness.map(|t| t.span).or(sig.constness.map(|t| t.span)) {
            return Err(Error::new(word, "a kernel is an ordinary function"));
        }
        let mut inputs = sig.inputs.iter();
        let meets = match inputs.next() {
            Some(FnArg::Typed(first)) if is_mut_ref_to(&first.ty, "Block").is_some() => false,
            Some(FnArg::Typed(first)) if is_mut_ref_to(&first.ty, "WholeGrid").is_some() => true,
            other => {
                let span = other.map_or(sig.ident.span(), Spanned::span);
                return Err(Error::new(span, "a kernel's first parameter is its block: `block: &mut Block`"));
            }
        };
        let parameters: Vec<_> = inputs.map(parameter).collect::<syn::Result<_>>()?;
        if !parameters.iter().any(|p| p.kind.is_output()) {
            return Err(Error::new(
                sig.ident.span(),
                "this kernel writes nothing: an output is `&mut Segment<T>`, `&mut Chunk<T, N>`, `&mut Tile2d<T, ROWS, COLUMNS>`, `&Atomics<T>` or `&Scatter<T>`",
            ));
        }
        parameters.iter().try_for_each(|parameter| check_meeting(parameter, meets))?;
        let mut dynamic = parameters.iter().filter(|p| matches!(p.kind, Kind::DynamicShared(_)));
        if let Some(second) = dynamic.nth(1) {
            return Err(Error::new(second.ty.span(), "a block has one piece of dynamic shared memory"));
        }
        let tile = parameters.iter().find(|p| matches!(p.kind, Kind::Tile2d { .. }));
        if let (true, Some(2..)) = (meets, options.dimensions) {
            return Err(Error::new(
                sig.ident.span(),
                "blocks that meet are counted in one dimension: leave `grid` out",
            ));
        }
        let dimensions = match (tile, options.dimensions) {
            (Some(tile), Some(1)) => {
                return Err(Error::new(tile.ty.span(), "tiles of a matrix need a grid of two dimensions: grid = 2"));
            }
            (Some(_), None) => 2,
            (_, given) => given.unwrap_or(1),
        };
        let Options { threads, blocks_per_sm, requirements, instances, avx512, .. } = options;
        let (name, generics) = (sig.ident.clone(), sig.generics.clone());
        Ok(Self {
            name,
            generics,
            instances,
            threads,
            blocks_per_sm,
            dimensions,
            meets,
            requirements,
            parameters,
            avx512,
        })
    }
}

/// Refuses macros: the text is used several times, for checks and for code, and a macro may mean something else each time.
pub fn check_macros(tokens: &TokenStream) -> syn::Result<()> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1), tokens.get(index + 2)) {
            (TokenTree::Ident(name), Some(TokenTree::Punct(mark)), Some(TokenTree::Group(_)))
                if mark.as_char() == '!' =>
            {
                let named = "a macro could mean something else at each use of this text: give its result a name, by `type` or `const`";
                return Err(Error::new(name.span(), named));
            }
            (TokenTree::Group(group), ..) => check_macros(&group.stream())?,
            _ => {}
        }
    }
    Ok(())
}

/// Refuses parameters that a kernel whose blocks meet cannot have, and those that only such a kernel can have.
fn check_meeting(parameter: &Parameter, meets: bool) -> syn::Result<()> {
    match (&parameter.kind, meets) {
        (Kind::Slice(_) | Kind::Value | Kind::Atomics { .. } | Kind::Scatter(_), _) | (Kind::GridMemory(_), true) => {
            Ok(())
        }
        (Kind::GridMemory(_), false) => Err(Error::new(
            parameter.ty.span(),
            "blocks that share it must meet: the first parameter is `grid: &mut WholeGrid`",
        )),
        (_, true) => Err(Error::new(
            parameter.ty.span(),
            "this is one block's, and all blocks run a kernel of a `WholeGrid` together: write to a `&mut GridMemory<T>`",
        )),
        (_, false) => Ok(()),
    }
}

/// A kernel's parameter must have a plain name.
pub fn name_and_type(input: &FnArg) -> syn::Result<(&Ident, &Type)> {
    let FnArg::Typed(typed) = input else {
        return Err(Error::new(input.span(), "a kernel is a free function: it has no `self`"));
    };
    let Pat::Ident(pattern) = &*typed.pat else {
        return Err(Error::new(
            typed.pat.span(),
            "a kernel's parameter has a plain name: the launch is called with it",
        ));
    };
    Ok((&pattern.ident, &typed.ty))
}

fn parameter(input: &FnArg) -> syn::Result<Parameter> {
    let (name, ty) = name_and_type(input)?;
    Ok(Parameter { name: name.clone(), ty: ty.clone(), kind: kind(ty)? })
}

fn kind(ty: &Type) -> syn::Result<Kind> {
    if let Some(segment) = is_mut_ref_to(ty, "Segment") {
        let [GenericArgument::Type(element)] = &without_access(segment)[..] else {
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
    if let Some(segment) = is_mut_ref_to(ty, "Chunk") {
        let [GenericArgument::Type(element), length] = &without_access(segment)[..] else {
            return Err(Error::new(segment.span(), "write element and length: `&mut Chunk<T, N>`"));
        };
        return Ok(Kind::Chunk { element: element.clone(), length: Box::new(length.clone()) });
    }
    if let Some(segment) = is_mut_ref_to(ty, "Tile2d") {
        let [GenericArgument::Type(element), rows, columns] = &without_access(segment)[..] else {
            return Err(Error::new(segment.span(), "write element, rows and columns: `&mut Tile2d<T, ROWS, COLUMNS>`"));
        };
        let (rows, columns) = (Box::new(rows.clone()), Box::new(columns.clone()));
        return Ok(Kind::Tile2d { element: element.clone(), rows, columns });
    }
    if let Some(segment) = is_mut_ref_to(ty, "DynamicShared") {
        let [GenericArgument::Type(element)] = &arguments(segment)[..] else {
            return Err(Error::new(segment.span(), "write the element's type: `&mut DynamicShared<T>`"));
        };
        return Ok(Kind::DynamicShared(element.clone()));
    }
    if let Some(segment) = is_mut_ref_to(ty, "GridMemory") {
        let [GenericArgument::Type(element)] = &arguments(segment)[..] else {
            return Err(Error::new(segment.span(), "write the element's type: `&mut GridMemory<T>`"));
        };
        return Ok(Kind::GridMemory(element.clone()));
    }
    if let Some(segment) = is_mut_ref_to(ty, "Atomics") {
        return Err(Error::new(segment.span(), "all blocks share these: write `&Atomics<T>`"));
    }
    if let Some(segment) = is_mut_ref_to(ty, "Scatter") {
        return Err(Error::new(segment.span(), "all blocks write there: `&Scatter<T>`"));
    }
    match ty {
        Type::Reference(TypeReference { mutability: None, elem, .. }) => match &**elem {
            Type::Slice(slice) => Ok(Kind::Slice((*slice.elem).clone())),
            Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Atomics") => {
                let segment = path.path.segments.last().map(arguments).unwrap_or_default();
                match &segment[..] {
                    [GenericArgument::Type(element)] => Ok(Kind::Atomics { element: element.clone(), scope: None }),
                    [GenericArgument::Type(element), scope] => {
                        Ok(Kind::Atomics { element: element.clone(), scope: Some(Box::new(scope.clone())) })
                    }
                    _ => Err(Error::new(path.span(), "write the element's type: `&Atomics<T>`")),
                }
            }
            Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Scatter") => {
                match &path.path.segments.last().map(arguments).unwrap_or_default()[..] {
                    [GenericArgument::Type(element)] => Ok(Kind::Scatter(element.clone())),
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
            None => Ok(Kind::Value),
        },
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
fn is_mut_ref_to<'t>(ty: &'t Type, name: &str) -> Option<&'t PathSegment> {
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
