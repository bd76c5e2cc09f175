//! PTX as text: its functions and data, the header that a build adds, and reasons for refusal.

pub mod bounds;
pub mod header;
pub mod module;
pub mod needs;
pub mod statics;
pub mod verify;
