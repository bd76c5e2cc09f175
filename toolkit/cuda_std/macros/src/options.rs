//! Parses the options of `#[kernel(..)]`.

use crate::generic::Instance;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitInt, Token};

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

/// The number of blocks that a multiprocessor should hold at a time: `= 3`, `= if N > 8 { 2 } else { 3 }`, or `(sm_75 = 2, sm_90 = 4)`. In
/// the list, each number holds from that chip on.
#[derive(Clone, Default)]
pub struct BlocksPerSm {
    by_chip: Vec<(u32, u32)>,
    /// A constant expression of type `u32`, in place of the list.
    pub expression: Option<TokenStream>,
}

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
        if self.by_chip.last().is_some_and(|&(before, _)| before >= chip) {
            return Err(Error::new(name.span(), "name older chips first: a number holds from its chip on"));
        }
        input.parse::<Token![=]>()?;
        let is_none = input.fork().parse::<Ident>().is_ok_and(|word| word == "none");
        let blocks = if is_none { input.parse::<Ident>().map(|_| 0)? } else { Self::number(input)? };
        self.by_chip.push((chip, blocks));
        Ok(())
    }

    /// What follows the option's name.
    fn after_name(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.parse::<Option<Token![=]>>()?.is_some() {
            return Self::after_equals_sign(input);
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

    /// A number is checked here, an expression when it is evaluated.
    fn after_equals_sign(input: ParseStream<'_>) -> syn::Result<Self> {
        match input.fork().parse()? {
            Expr::Lit(_) => Ok(Self { by_chip: vec![(0, Self::number(input)?)], expression: None }),
            _ => {
                let named: Expr = input.parse()?;
                let expression = quote_spanned!(named.span()=> ::cuda_std::__private::blocks_per_sm((#named) as u128));
                Ok(Self { by_chip: Vec::new(), expression: Some(expression) })
            }
        }
    }

    /// As the build reads it: `0` if it is not given, `3`, or `75=2,90=4`. There `0` stands for `none`. That of an expression is an
    /// operand of the assembly, `blocks`.
    pub fn mark(&self) -> String {
        if self.expression.is_some() {
            return "{blocks}".to_owned();
        }
        match self.by_chip[..] {
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
