//! Parses a kernel's signature.

use crate::expand::plain;
use crate::generic::{self, Instance};
use crate::group::{self, Leaf};
use crate::kind::{Kind, is_mut_ref_to};
use crate::options::{BlocksPerSm, Options, Requirement};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::{Error, FnArg, Generics, Ident, ItemFn, Pat, ReturnType, Type};

/// A parameter of the PTX entry after the block: one of the kernel's own, or a field of a group.
pub struct Parameter {
    /// Its name in generated code.
    pub name: Ident,
    /// Its name in descriptions and messages: the field's own, unless another parameter of the kernel has the same.
    pub text: String,
    /// Where it is among the launch's arguments: `x`, or `group.x`.
    pub place: TokenStream,
    pub ty: Type,
    pub kind: Kind,
    span: Span,
}

impl Parameter {
    fn error(&self, message: &str) -> Error {
        let place = self.place.to_string().replace(' ', "");
        let field = if place.contains('.') { format!("`{place}`: ") } else { String::new() };
        Error::new(self.span, field + message)
    }
}

/// An argument of the kernel's function after the block.
pub enum Argument {
    /// The parameter of this number.
    Single(usize),
    Group(Box<Group>),
}

/// A group as a kernel has it.
pub struct Group {
    pub name: Ident,
    pub ty: Type,
    /// The numbers of its parameters.
    pub parameters: Range<usize>,
    /// The fields that lead to each of them.
    pub paths: Vec<Vec<Ident>>,
}

impl Group {
    /// Its type with the longest lifetime.
    pub fn lasting(&self) -> Type {
        group::lasting(&self.ty)
    }
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
    pub arguments: Vec<Argument>,
    pub avx512: bool,
}

impl Signature {
    /// `groups` has the fields of the function's groups, in order.
    pub fn parse(options: Options, function: &ItemFn, groups: &[Vec<Leaf>]) -> syn::Result<Self> {
        let sig = &function.sig;
        check_macros(&sig.inputs.to_token_stream())?;
        check_macros(&options.threads)?;
        options.blocks_per_sm.expression.as_ref().map_or(Ok(()), check_macros)?;
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
        let (parameters, arguments) = parameters(inputs, groups)?;
        if !parameters.iter().any(|p| p.kind.is_output()) {
            return Err(Error::new(
                sig.ident.span(),
                "this kernel writes nothing: an output is `&mut Segment<T>`, `&mut Chunk<T, N>`, `&mut Tile2d<T, ROWS, COLUMNS>`, `&Atomics<T>` or `&Scatter<T>`",
            ));
        }
        parameters.iter().try_for_each(|parameter| check_meeting(parameter, meets))?;
        let mut dynamic = parameters.iter().filter(|p| matches!(p.kind, Kind::DynamicShared(_)));
        if let Some(second) = dynamic.nth(1) {
            return Err(second.error("a block has one piece of dynamic shared memory"));
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
                return Err(tile.error("tiles of a matrix need a grid of two dimensions: grid = 2"));
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
            arguments,
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
        (Kind::GridMemory(_), false) => {
            Err(parameter.error("blocks that share it must meet: the first parameter is `grid: &mut WholeGrid`"))
        }
        (_, true) => Err(parameter.error(
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

/// The parameters of the entry, and the arguments of the function that they make.
fn parameters<'f>(
    inputs: impl Iterator<Item = &'f FnArg>,
    groups: &[Vec<Leaf>],
) -> syn::Result<(Vec<Parameter>, Vec<Argument>)> {
    let (mut parameters, mut arguments, mut groups) = (Vec::new(), Vec::new(), groups.iter());
    for input in inputs {
        let (name, ty) = name_and_type(input)?;
        if group::macro_of(ty).is_none() {
            arguments.push(Argument::Single(parameters.len()));
            let (text, place, kind) = (plain(name), name.to_token_stream(), Kind::of(ty)?);
            parameters.push(Parameter { name: name.clone(), text, place, ty: ty.clone(), kind, span: ty.span() });
            continue;
        }
        let (first, mut paths) = (parameters.len(), Vec::new());
        let lasting = group::lasting(ty);
        for (index, Leaf { path, kind }) in groups.next().into_iter().flatten().enumerate() {
            let number = parameters.len();
            parameters.push(Parameter {
                name: crate::expand::hidden(&format!("argument_{number}")),
                text: path.last().map_or_else(String::new, plain),
                place: quote!(#name #(.#path)*),
                ty: syn::parse_quote!(<#lasting as ::cuda_std::__private::Field<#index>>::Element),
                kind: Kind::of_field(kind, &lasting, index)?,
                span: ty.span(),
            });
            paths.push(path.clone());
        }
        let parameters = first..parameters.len();
        arguments.push(Argument::Group(Box::new(Group { name: name.clone(), ty: ty.clone(), parameters, paths })));
    }
    // Two fields of one name, or the same group twice.
    let texts: Vec<_> = parameters.iter().map(|parameter| parameter.text.clone()).collect();
    for parameter in &mut parameters {
        if texts.iter().filter(|text| **text == parameter.text).count() > 1 {
            parameter.text = parameter.place.to_string().replace(' ', "").replace("r#", "");
        }
    }
    Ok((parameters, arguments))
}
