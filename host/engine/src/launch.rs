//! The launches of a batch, wherever its buffers live: heavy atoms, then rows, then sites.

use super::batch_inputs::BatchInputs;
use super::batch_sizes::BatchSizes;
use super::groups::{LargeStructures, Shared, take_columns};
use super::memory::Memory;
use super::workspace::{Stage, Workspace};
use cuda_std::launch::Executor;
use kernels_gpu::groups::{
    CentralityScratchArgs, CountedAtomsArgs, FoundCentralityArgs, FoundPointsArgs, FoundSitesArgs, GraphPartsArgs,
    GridScratchArgs, NetworkInputsArgs, PointItemsArgs, ResidueItemsArgs, RowItemsArgs, RowScratchArgs, SitePointsArgs,
    SortedAtomsArgs,
};
use kernels_gpu::points::{PointAtom, Spot};
use kernels_gpu::{
    alpha_carbon_boxes, atom_cells as cells, atom_depths as depths, atom_surfaces as surfaces, binding_sites as sites,
    large_atom_cells as large_cells, mega_fused_batch_detection_prism4d as fused, residue_exposure as exposure,
    selected_features as selected, site_point_list as point_list, site_point_scores as point_scores,
    site_points as points, site_scores as scores, site_sums as sums, split_alpha_carbons, split_centrality,
    split_eigenvectors, split_network, split_pairs, split_weighted_contacts,
};
use shared_types::site_model::{CAPACITY, MOST_SITES};
use shared_types::{MegaFusedConfig, Steps};

/// Computes every feature of a batch, in memory that was prepared for it by [`Workspace::prepare`].
///
/// # Errors
/// Those of the executor. A GPU reports a kernel's panic when it is next synchronised with.
pub fn launch_mega_fused_batch<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    launch_stages(executor, inputs, work, config, |_, _| ())
}

/// As [`launch_mega_fused_batch`], which has the errors; calls `after` after each stage.
pub(super) fn launch_stages<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
    mut after: impl FnMut(Stage, &mut Workspace<M>),
) -> Result<(), E::Error> {
    launch_atom_surfaces(executor, inputs, work)?;
    launch_residue_exposure(executor, inputs, work)?;
    launch_rows(executor, inputs, work, config)?;
    after(Stage::Rows, work);
    launch_binding_sites(executor, inputs, work, config)?;
    after(Stage::Sites, work);
    launch_groups(executor, inputs, work, config)?;
    after(Stage::Groups, work);
    Ok(())
}

/// Counts around heavy atoms: the first stage of [`launch_mega_fused_batch`].
///
/// # Errors
/// Those of the executor.
pub fn launch_atom_surfaces<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
) -> Result<(), E::Error> {
    let sizes = &work.sizes;
    if !sizes.steps.has(Steps::EXPOSURE) {
        return Ok(());
    }
    let largest = sizes.largest_atoms;
    if sizes.few_atoms {
        let made = work.cells.made(&work.structures, &work.heavy_atoms);
        let args = cells::Args { made, unsorted: inputs.unsorted(), largest };
        sizes.launch::<cells::Kernel, _>(executor, args)?;
    }
    if sizes.many_atoms {
        let made = work.cells.made(&work.structures, &work.heavy_atoms);
        let args = large_cells::Args { made, unsorted: inputs.unsorted(), largest };
        sizes.launch::<large_cells::Kernel, _>(executor, args)?;
    }
    let given = inputs.shorter();
    let args = surfaces::Args {
        surface: M::segments(&mut work.surface, &work.atom_items.offsets),
        atoms: inputs.atom_items(work.atom_items.view(), work.cells.sorted()),
        points: given.points,
        n_points: given.n_points,
        steps: sizes.steps.bits(),
    };
    sizes.launch::<surfaces::Kernel, _>(executor, args)
}

/// Adds up what residues have of their atoms: the second stage.
///
/// # Errors
/// Those of the executor.
pub fn launch_residue_exposure<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
) -> Result<(), E::Error> {
    let sizes = &work.sizes;
    if !sizes.steps.has(Steps::EXPOSURE) {
        return Ok(());
    }
    if sizes.steps.has(Steps::DEPTH) {
        let args = depths::Args {
            depths: M::segments(&mut work.depths, &work.atom_items.offsets),
            atoms: inputs.atom_items(work.atom_items.view(), work.cells.sorted()),
            surface: M::view(&work.surface, sizes.atoms),
        };
        sizes.launch::<depths::Kernel, _>(executor, args)?;
    }
    let BatchInputs { atoms, descriptors, residue_types, chain_ids, residue_atoms, .. } = inputs.shorter();
    let items = work.residue_items.view();
    let args = exposure::Args {
        exposure: M::segments(&mut work.exposure, &work.residue_items.offsets),
        residues: ResidueItemsArgs { items, atoms, descriptors, residue_types, chain_ids, residue_atoms },
        counted: CountedAtomsArgs {
            atoms: work.cells.owned(),
            depths: M::view(&work.depths, sizes.atoms),
            surface: M::view(&work.surface, sizes.atoms),
        },
        points: inputs.n_points,
        steps: sizes.steps.bits(),
    };
    sizes.launch::<exposure::Kernel, _>(executor, args)
}

/// Computes the rows' other features: the third stage. Structures that one block does not compute take several kernels.
///
/// # Errors
/// Those of the executor.
pub fn launch_rows<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    if !work.sizes.steps.has(Steps::ROWS) {
        return Ok(());
    }
    if work.sizes.few_residues {
        launch_fused(executor, inputs, work, config)?;
    }
    if work.sizes.many_residues {
        launch_boxes(executor, inputs, work)?;
        launch_split(executor, inputs, work, config)?;
    }
    Ok(())
}

fn launch_fused<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let (sizes, residues, split) = (&work.sizes, &work.residues, work.split);
    let output = M::segments(&mut work.rows, residues);
    let batch = inputs.batch(M::view(&work.exposure, sizes.residues));
    let scratch = RowScratchArgs {
        gathered: work.gathered.segments(residues),
        contacts: M::segments(&mut work.contacts, &work.contact_lists),
        work: M::segments(&mut work.vectors, residues),
    };
    let summaries = M::segments(&mut work.results.summaries, &work.structures);
    if sizes.steps.has(Steps::ALL_OF_ROWS) {
        let args = fused::Args { output, batch, scratch, summaries, config, split };
        sizes.launch::<fused::Kernel, _>(executor, args)
    } else {
        let args = selected::Args { output, batch, scratch, summaries, config, split };
        sizes.launch::<selected::Kernel, _>(executor, args)
    }
}

/// Makes boxes around the alpha carbons of large structures.
fn launch_boxes<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
) -> Result<(), E::Error> {
    let given = inputs.shorter();
    let args = alpha_carbon_boxes::Args {
        boxes: M::segments(&mut work.boxes, &work.box_rows),
        atoms: given.atoms,
        ca_indices: given.ca_indices,
        descriptors: given.descriptors,
        largest: work.split.largest,
    };
    work.sizes.launch::<alpha_carbon_boxes::Kernel, _>(executor, args)
}

fn launch_split<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let (sizes, split) = (&work.sizes, work.split);
    let n = sizes.residues;
    let args = split_alpha_carbons::Args {
        batch: inputs.batch(M::view(&work.exposure, n)),
        gathered: work.gathered.segments(&work.residues),
        axes: M::segments(&mut work.axes, &work.residues),
        chain_rows: M::segments(&mut work.chain_rows, &work.residues),
        facts: M::segments(&mut work.facts, &work.structures),
        split,
    };
    sizes.launch::<split_alpha_carbons::Kernel, _>(executor, args)?;
    let row_items = &work.row_items;
    let given = inputs.shorter();
    let args = split_pairs::Args {
        output: M::segments(&mut work.rows, &row_items.offsets),
        contacts: M::segments(&mut work.contacts, &row_items.others),
        rows: RowItemsArgs {
            items: row_items.view(),
            descriptors: given.descriptors,
            residue_types: given.residue_types,
            exposure: M::view(&work.exposure, n),
            alpha_carbons: M::view(&work.gathered.alpha_carbons, n),
            traits: M::view(&work.gathered.traits, n),
            axes: M::view(&work.axes, n),
            facts: M::view(&work.facts, sizes.structures),
            boxes: M::view(&work.boxes, sizes.boxes),
        },
        config,
        split,
    };
    sizes.launch::<split_pairs::Kernel, _>(executor, args)?;
    if sizes.steps.has(Steps::WCN) {
        let args = split_weighted_contacts::Args {
            output: M::segments(&mut work.rows, &row_items.offsets),
            items: row_items.view(),
            descriptors: inputs.shorter().descriptors,
            alpha_carbons: M::view(&work.gathered.alpha_carbons, n),
            most: sizes.largest_wcn,
        };
        sizes.launch::<split_weighted_contacts::Kernel, _>(executor, args)?;
    }
    let given = inputs.shorter();
    let graph = GraphPartsArgs {
        descriptors: given.descriptors,
        alpha_carbons: M::view(&work.gathered.alpha_carbons, n),
        contacts: M::view(&work.contacts, sizes.contact_words),
    };
    if sizes.steps.has(Steps::NETWORK) {
        let args = split_network::Args {
            output: M::segments(&mut work.rows, &row_items.offsets),
            items: row_items.view(),
            graph: graph.shorter(),
            given: NetworkInputsArgs {
                bfactor_z: M::view(&work.gathered.bfactor_z, n),
                chain_rows: M::view(&work.chain_rows, n),
                facts: M::view(&work.facts, sizes.structures),
            },
            config,
            split,
        };
        sizes.launch::<split_network::Kernel, _>(executor, args)?;
    }
    let most = sizes.largest_centrality;
    if sizes.steps.has(Steps::CENTRALITY) && sizes.together.is_some() {
        let args = split_eigenvectors::Args {
            output: M::view_mut(&mut work.rows),
            scratch: GridScratchArgs {
                work: M::view_mut(&mut work.vectors),
                axes: M::view_mut(&mut work.axes),
                few: M::view_mut(&mut work.few),
            },
            graph: graph.shorter(),
            config,
            split,
            structures: sizes.structures as u32,
            most,
        };
        sizes.launch::<split_eigenvectors::Kernel, _>(executor, args)?;
    }
    let args = split_centrality::Args {
        found: FoundCentralityArgs {
            output: M::segments(&mut work.rows, &work.residues),
            summaries: M::segments(&mut work.results.summaries, &work.structures),
        },
        graph: graph.shorter(),
        facts: M::view(&work.facts, sizes.structures),
        scratch: CentralityScratchArgs { work: M::segments(&mut work.vectors, &work.residues) },
        config,
        split,
        most,
    };
    sizes.launch::<split_centrality::Kernel, _>(executor, args)
}

/// Finds sites and scores residues: the fourth stage.
///
/// # Errors
/// Those of the executor.
pub fn launch_binding_sites<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    if !work.sizes.steps.has(Steps::SITES) {
        return Ok(());
    }
    launch_points(executor, inputs, work)?;
    let Workspace { sizes, rows, results, site_sums, spots, point_atoms, cells, .. } = work;
    let args = sites::Args {
        summaries: M::segments(&mut results.summaries, &work.structures),
        sites: M::segments(&mut results.sites, &work.site_lists),
        points: site_points::<M>(sizes, site_sums, spots, point_atoms),
        descriptors: inputs.shorter().descriptors,
        atoms: cells.sorted(),
    };
    sizes.launch::<sites::Kernel, _>(executor, args)?;
    let given = inputs.shorter();
    let items = &work.residue_items;
    let args = scores::Args {
        output: M::segments(rows, &items.offsets),
        site_ids: M::segments(&mut results.site_ids, &items.offsets),
        residues: ResidueItemsArgs {
            items: items.view(),
            atoms: given.atoms,
            descriptors: given.descriptors,
            residue_types: given.residue_types,
            chain_ids: given.chain_ids,
            residue_atoms: given.residue_atoms,
        },
        found: FoundSitesArgs {
            points: site_points::<M>(sizes, site_sums, spots, point_atoms),
            summaries: M::view(&results.summaries, sizes.structures),
            sites: M::view(&results.sites, sizes.structures * MOST_SITES),
        },
        atoms: cells.sorted(),
        config,
    };
    sizes.launch::<scores::Kernel, _>(executor, args)
}

/// The scored points of a batch and the sums of its atoms: from `work.site_sums`, `work.spots` and `work.point_atoms`.
fn site_points<'a, M: Memory>(
    sizes: &BatchSizes,
    sums: &'a M::Buffer<u32>,
    spots: &'a M::Buffer<Spot>,
    point_atoms: &'a M::Buffer<PointAtom>,
) -> SitePointsArgs<'a, M::Space> {
    SitePointsArgs {
        sums: M::view(sums, sizes.atoms),
        spots: M::view(spots, sizes.atoms * CAPACITY as usize),
        point_atoms: M::view(point_atoms, sizes.atoms),
    }
}

/// Finds points on the surface, scores them, and adds up around each atom.
fn launch_points<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
) -> Result<(), E::Error> {
    let sizes = &work.sizes;
    let (atoms, room) = (sizes.atoms, sizes.atoms * CAPACITY as usize);
    let items = work.atom_items.count;
    let BatchInputs { atoms: all, descriptors, residue_types, ca_indices, .. } = inputs.shorter();
    let args = points::Args {
        found: FoundPointsArgs {
            point_atoms: M::segments(&mut work.point_atoms, &work.atom_items.offsets),
            site_atoms: M::segments(&mut work.site_atoms, &work.atom_items.offsets),
            points: M::segments(&mut work.points, &work.point_items),
            counts: M::segments(&mut work.point_counts, &work.each_item),
        },
        residues: PointItemsArgs { items: work.atom_items.view(), atoms: all, descriptors, residue_types, ca_indices },
        owned: work.cells.owned(),
        surface: M::view(&work.surface, atoms),
        n_points: inputs.n_points,
    };
    sizes.launch::<points::Kernel, _>(executor, args)?;
    let args = point_scores::Args {
        spots: M::segments(&mut work.spots, &work.point_items),
        points: M::view(&work.points, room),
        counts: M::view(&work.point_counts, items),
        site_atoms: M::view(&work.site_atoms, atoms),
        atoms: inputs.atom_items(work.atom_items.view(), work.cells.sorted()),
    };
    sizes.launch::<point_scores::Kernel, _>(executor, args)?;
    let args = sums::Args {
        sums: M::segments(&mut work.site_sums, &work.atom_items.offsets),
        spots: M::view(&work.spots, room),
        point_atoms: M::view(&work.point_atoms, atoms),
        atoms: inputs.atom_items(work.atom_items.view(), work.cells.sorted()),
    };
    sizes.launch::<sums::Kernel, _>(executor, args)?;
    if !sizes.results.points {
        return Ok(());
    }
    let given = inputs.shorter();
    let SortedAtomsArgs { cells, frames, .. } = work.cells.sorted();
    let args = point_list::Args {
        atom_points: M::segments(&mut work.results.atom_points, &work.heavy_atoms),
        spots: M::view(&work.spots, room),
        point_atoms: M::view(&work.point_atoms, atoms),
        descriptors: given.descriptors,
        cells,
        frames,
    };
    sizes.launch::<point_list::Kernel, _>(executor, args)
}

/// Computes the other groups of features, and takes from the rows of all what was asked for: the last stage.
///
/// # Errors
/// Those of the executor.
pub fn launch_groups<M: Memory, E: Executor<Space = M::Space>>(
    executor: &E,
    inputs: BatchInputs<'_, M::Space>,
    work: &mut Workspace<M>,
    config: MegaFusedConfig,
) -> Result<(), E::Error> {
    let has = |step| work.sizes.steps.has(step);
    // The rows have made them already, if there are any.
    if work.sizes.many_residues && has(Steps::SECONDARY_STRUCTURE) && !has(Steps::ROWS) {
        launch_boxes(executor, inputs, work)?;
    }
    let Workspace {
        sizes, groups, results, columns, value_items, residues, residue_items, row_items, boxes, rows, ..
    } = work;
    let residue_items = &*residue_items;
    let large = LargeStructures { items: &*row_items, boxes: &*boxes };
    let sizes = &*sizes;
    if sizes.steps.has(Steps::ROWS) && columns.any() {
        let (values, value_items) = (&mut results.values, &*value_items);
        let shared = Shared { sizes, config, residues, residue_items, large, columns, values, value_items };
        take_columns!(residue_columns, executor, inputs, rows, shared)?;
    }
    groups.launch(
        executor,
        inputs,
        (sizes, config),
        (&mut results.values, value_items),
        (residues, residue_items, large),
    )
}
