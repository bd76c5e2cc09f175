//! Elements and values of a group have a device layout.
#![allow(unused_variables, dead_code)]

use cuda_std::prelude::*;

#[derive(Clone, Copy)]
struct NoLayout {
    x: f32,
}

#[derive(Arguments)]
struct Group<'a> {
    input: &'a [f32],
    elements: &'a [NoLayout],
    text: String,
}

fn main() {}
