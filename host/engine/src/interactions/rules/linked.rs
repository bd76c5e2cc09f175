//! Covalent bonds between residues, disulfides among them.

use crate::interactions::Interaction;
use crate::interactions::bonds::Link;
use crate::interactions::geometry::distance;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;
use prism_read::LinkKind;

pub(super) fn find(kind: Kind, search: &Search, links: &[Link], found: &mut Vec<Interaction>) {
    let own = if kind == Kind::Disulfide { LinkKind::Disulfide } else { LinkKind::Covalent };
    for link in links.iter().filter(|link| link.kind == own) {
        let [a, b] = link.atoms;
        found.push(search.of_atoms(kind, a, b, distance(search.system.at(a), search.system.at(b))));
    }
}
