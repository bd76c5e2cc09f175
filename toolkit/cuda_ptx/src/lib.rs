//! PTX as text, for the build and for the host: [`text`] divides it into functions and statements, and [`schedule`] adds delays
//! that let a device try other schedules.
//!
//! Nothing here knows a compiler, a driver or a device.

pub mod schedule;
pub mod text;
