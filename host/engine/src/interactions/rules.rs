//! The rule of each kind.

mod base_pair;
mod cation_pi;
mod clash;
mod halogen;
mod hbond;
mod hydrophobic;
mod linked;
mod metal;
mod salt_bridge;
mod stack;
mod water_bridge;

pub(super) use base_pair::find_of_bases;
pub(super) use metal::coordinated;

use super::Interaction;
use super::bonds::Link;
use super::kinds::Kind;
use super::search::Search;

/// Adds the interactions of a kind, but of those of bases.
pub(super) fn find(kind: Kind, search: &Search, links: &[Link], found: &mut Vec<Interaction>) {
    match kind {
        Kind::HBond => hbond::find(search, found),
        Kind::WeakHBond => hbond::find_weak(search, found),
        Kind::SaltBridge => salt_bridge::find(search, found),
        Kind::PiStack | Kind::TStack => stack::find(kind, search, found),
        Kind::CationPi => cation_pi::find(search, found),
        Kind::Hydrophobic => hydrophobic::find(search, found),
        Kind::Disulfide | Kind::Covalent => linked::find(kind, search, links, found),
        Kind::Metal => metal::find(search, links, found),
        Kind::WaterBridge => water_bridge::find(search, found),
        Kind::Halogen => halogen::find(search, found),
        Kind::Clash => clash::find(search, found),
        // Those of bases are tested by a kernel.
        Kind::BasePair | Kind::BaseStack => {}
    }
}
