//! Groups of features beyond the first: each has its own rows, kernels and buffers.
//!
//! A group is a module here that implements [`GroupWorkspace`], and a line in `groups!`. Its features are in
//! `shared_types::feature`, its kernels in `kernels-gpu`.

mod backbone;
mod nucleotide;
mod position;

use super::batch_inputs::BatchInputs;
use super::batch_sizes::BatchSizes;
use super::items::DeviceItems;
use super::memory::Memory;
use super::selection::Selection;
use cuda_std::launch::Executor;
use kernels_gpu::scratch::{Eight, Taken};
use shared_types::{Group, MegaFusedConfig, Steps};

/// The buffers of a group, which are kept from batch to batch, and its launches.
pub(super) trait GroupWorkspace<M: Memory>: Sized {
    /// The group.
    const GROUP: Group;
    /// The group's steps. It is computed if at least one of them is requested.
    const STEPS: Steps;

    /// No memory yet.
    fn new(memory: &M) -> Result<Self, M::Error>;

    /// Reserves memory for a batch.
    fn prepare(&mut self, memory: &M, sizes: &BatchSizes) -> Result<(), M::Error>;

    /// Computes its rows, and extracts the requested columns.
    fn launch<E: Executor<Space = M::Space>>(
        &mut self,
        executor: &E,
        inputs: BatchInputs<'_, M::Space>,
        shared: Shared<'_, M>,
    ) -> Result<(), E::Error>;
}

/// What all groups' launches share: the batch, and the destination of columns.
pub(super) struct Shared<'a, M: Memory> {
    pub(super) sizes: &'a BatchSizes,
    pub(super) config: MegaFusedConfig,
    /// Offsets of each structure's rows.
    pub(super) residues: &'a M::Offsets,
    /// The work items of kernels whose blocks take some rows of a structure each.
    pub(super) residue_items: &'a DeviceItems<M>,
    pub(super) large: LargeStructures<'a, M>,
    pub(super) columns: &'a Columns<M>,
    /// The batch's values.
    pub(super) values: &'a mut M::Buffer<f32>,
    /// The work items of kernels whose blocks take some values of a structure each.
    pub(super) value_items: &'a DeviceItems<M>,
}

/// What kernels read of large structures, whose rows several blocks take.
pub(super) struct LargeStructures<'a, M: Memory> {
    /// Their rows.
    pub(super) items: &'a DeviceItems<M>,
    /// Boxes around their alpha carbons.
    pub(super) boxes: &'a M::Buffer<Eight>,
}

impl<M: Memory> Clone for LargeStructures<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Memory> Copy for LargeStructures<'_, M> {}

/// The requested columns of a group.
pub(super) struct Columns<M: Memory> {
    places: M::Buffer<u32>,
    count: usize,
    first: u32,
}

impl<M: Memory> Columns<M> {
    pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self { places: memory.empty()?, count: 0, first: 0 })
    }

    pub(super) fn set(&mut self, memory: &M, selection: &Selection, group: Group) -> Result<(), M::Error> {
        let range = selection.of_group(group);
        let places: Vec<u32> = selection.features()[range.clone()].iter().map(|one| one.column as u32).collect();
        (self.count, self.first) = (places.len(), range.start as u32);
        memory.copy_to(&mut self.places, &places)
    }

    /// Whether any is requested.
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// The columns in the form that kernels read.
    pub(super) fn view(&self) -> <M::Space as cuda_std::launch::Space>::Ref<'_, u32> {
        M::view(&self.places, self.count)
    }

    pub(super) fn taken(&self, config: MegaFusedConfig) -> Taken {
        Taken { first: self.first, least: config.min_feature_value }
    }
}

/// Launches a kernel that extracts a group's columns from its rows.
macro_rules! take_columns {
    ($kernel:ident, $executor:expr, $inputs:expr, $rows:expr, $shared:expr) => {{
        use kernels_gpu::$kernel as kernel;
        let (shared, given) = ($shared, $inputs.shorter());
        let args = kernel::Args {
            values: M::segments(shared.values, &shared.value_items.offsets),
            rows: M::view($rows, shared.sizes.residues),
            columns: shared.columns.view(),
            items: shared.value_items.view(),
            descriptors: given.descriptors,
            taken: shared.columns.taken(shared.config),
        };
        shared.sizes.launch::<kernel::Kernel, _>($executor, args)
    }};
}

pub(super) use take_columns;

/// The groups: name of the field, and type.
macro_rules! groups {
    ($($name:ident: $type:ident;)*) => {
        /// All of them.
        pub(super) struct Groups<M: Memory> {
            $($name: ($name::$type<M>, Columns<M>),)*
        }

        impl<M: Memory> Groups<M> {
            /// No memory yet.
            pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
                Ok(Self { $($name: (GroupWorkspace::new(memory)?, Columns::new(memory)?)),* })
            }

            /// Reserves memory for a batch, for the requested groups.
            pub(super) fn prepare(
                &mut self,
                memory: &M,
                sizes: &BatchSizes,
                selection: &Selection,
            ) -> Result<(), M::Error> {
                $(
                    let (group, columns) = &mut self.$name;
                    if has_steps::<M, $name::$type<M>>(sizes) {
                        columns.set(memory, selection, <$name::$type<M> as GroupWorkspace<M>>::GROUP)?;
                        group.prepare(memory, sizes)?;
                    }
                )*
                Ok(())
            }

            /// Computes the requested groups.
            pub(super) fn launch<E: Executor<Space = M::Space>>(
                &mut self,
                executor: &E,
                inputs: BatchInputs<'_, M::Space>,
                (sizes, config): (&BatchSizes, MegaFusedConfig),
                (values, value_items): (&mut M::Buffer<f32>, &DeviceItems<M>),
                (residues, residue_items, large): (&M::Offsets, &DeviceItems<M>, LargeStructures<'_, M>),
            ) -> Result<(), E::Error> {
                $(
                    let (group, columns) = &mut self.$name;
                    if has_steps::<M, $name::$type<M>>(sizes) {
                        let shared =
                            Shared { sizes, config, residues, residue_items, large, columns, values, value_items };
                        group.launch(executor, inputs, shared)?;
                    }
                )*
                Ok(())
            }
        }
    };
}

groups! {
    position: PositionWorkspace;
    backbone: BackboneWorkspace;
    nucleotide: NucleotideWorkspace;
}

fn has_steps<M: Memory, G: GroupWorkspace<M>>(sizes: &BatchSizes) -> bool {
    sizes.steps.only(G::STEPS) != Steps::NONE
}
