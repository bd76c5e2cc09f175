// Twin of the kernel `atom_surfaces_prism4d` (kernels-gpu/src/atoms/surface.rs) in CUDA C++, for benchmarks: the same
// algorithm on the same cells, and the same operations, so that it gives the same counts.
//
//     nvcc -O3 -arch=native -cubin -o surface.cubin surface.cu

struct Item {
    unsigned structure, atoms, first;
};

struct Descriptor {
    unsigned atom_offset, ca_offset, n_atoms, n_residues, lineage, country;
};

struct __align__(16) Frame {
    float origin[3], edge, per_edge;
    unsigned size[3];
    float largest;
    unsigned padding[3];
};

constexpr float REACH = 10.f, SLACK = 0.02f, PROBE = 1.4f, CONTACT = 4.5f, NEAREST2 = 3.5f * 3.5f;
constexpr unsigned ROWS = 25, NEAR = 128, FIRST = 24, OTHERS = 80, CONTACTS = 64, POINTS = 128, EACH = POINTS / 32, WARPS = 8, WORDS = 9;

__constant__ signed char NEAR_FIRST[ROWS][2] = {
    {0, 0},  {-1, 0}, {1, 0},   {0, -1}, {0, 1},   {-1, -1}, {-1, 1}, {1, -1}, {1, 1},  {-2, 0},  {2, 0},  {0, -2}, {0, 2},
    {-2, -1}, {-2, 1}, {2, -1}, {2, 1},  {-1, -2}, {1, -2},  {-1, 2}, {1, 2},  {-2, -2}, {-2, 2}, {2, -2}, {2, 2}};

// The first of every 1, 2, 4, .. 32 lanes.
__constant__ unsigned FIRSTS[6] = {~0u, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 1};

struct Run {
    unsigned first, end;
};

__device__ __forceinline__ unsigned cell(const Frame& f, int axis, float at) {
    return min(__float2uint_rz((at - f.origin[axis]) * f.per_edge), f.size[axis] - 1);
}

__device__ __forceinline__ float gap(const Frame& f, int axis, float at, unsigned c) {
    float low = fmaf(float(c), f.edge, f.origin[axis]) - SLACK;
    float high = fmaf(float(c + 1), f.edge, f.origin[axis]) + SLACK;
    return fmaxf(0.f, fmaxf(low - at, at - high));
}

// Run k of the atoms within reach of one, and the square of how far it is at least.
__device__ __forceinline__ Run near(const Frame& f, const unsigned* starts, float4 atom, unsigned k, float* gap2) {
    if (k >= ROWS) return {0, 0};
    unsigned y = cell(f, 1, atom.y) + NEAR_FIRST[k][0], z = cell(f, 2, atom.z) + NEAR_FIRST[k][1];
    if (y >= f.size[1] || z >= f.size[2]) return {0, 0};
    float gap_y = gap(f, 1, atom.y, y), gap_z = gap(f, 2, atom.z, z);
    *gap2 = fmaf(gap_y, gap_y, gap_z * gap_z);
    float rest = REACH * REACH - *gap2;
    if (rest < 0.f) return {0, 0};
    float half = sqrtf(rest) + SLACK;
    unsigned row = (z * f.size[1] + y) * f.size[0];
    return {starts[row + cell(f, 0, atom.x - half)], starts[row + cell(f, 0, atom.x + half) + 1]};
}

__device__ __forceinline__ float distance2(float4 a, float4 b) {
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    return fmaf(x, x, fmaf(y, y, z * z));
}

struct Centre {
    float4 atom;
    float reach, half;
};

struct Seen {
    float4 plane;
    float d2;
    bool touches;
};

__device__ __forceinline__ Seen look(const Centre& c, float4 other) {
    float x = other.x - c.atom.x, y = other.y - c.atom.y, z = other.z - c.atom.z;
    float d2 = fmaf(x, x, fmaf(y, y, z * z));
    float reach = other.w + PROBE, both = c.reach + reach;
    bool touches = d2 < both * both && (d2 > 0.f || reach > c.reach);
    return {make_float4(x, y, z, fmaf(c.reach - reach, both, d2) * c.half), d2, touches};
}

__device__ __forceinline__ bool covers(float4 plane, float x, float y, float z) {
    return fmaf(x, plane.x, fmaf(y, plane.y, z * plane.z)) > plane.w;
}

__device__ __noinline__ unsigned exposed_to_all(const Centre& c, const Frame& f, const unsigned* starts,
                                                const float4* sorted, const float4* points, unsigned n_points,
                                                unsigned lane) {
    unsigned open = 0;
    for (unsigned p = lane; p < n_points; p += 32) {
        float4 point = points[p];
        bool covered = false;
        for (unsigned k = 0; k < ROWS && !covered; ++k) {
            float gap2;
            Run run = near(f, starts, c.atom, k, &gap2);
            for (unsigned at = run.first; at < run.end && !covered; ++at) {
                Seen seen = look(c, sorted[at]);
                covered = seen.touches && covers(seen.plane, point.x, point.y, point.z);
            }
        }
        open += !covered;
    }
    return __reduce_add_sync(~0u, open);
}

// Puts a value of each lane that has one behind the `n` that are in a list.
template <typename T>
__device__ __forceinline__ void push(T* list, unsigned room, unsigned& n, bool has, T value, unsigned below) {
    unsigned some = __ballot_sync(~0u, has), place = n + __popc(some & below);
    if (has && place < room) list[place] = value;
    n += __popc(some);
}

struct Residues {
    const unsigned *chain_ids, *first_atoms;
    unsigned first, count, atoms;

    __device__ __forceinline__ bool apart(unsigned i, unsigned j) const {
        return (i > j ? i - j : j - i) >= 2 || chain_ids[first + i] != chain_ids[first + j];
    }
};

__device__ __noinline__ void touch_all(const Residues& r, const float4* atoms, float4 atom, unsigned own, unsigned* contacts,
                                       unsigned lane) {
    for (unsigned residue = lane; residue < r.count; residue += 32) {
        if (!r.apart(own, residue)) continue;
        unsigned end = residue + 1 < r.count ? r.first_atoms[r.first + residue + 1] : r.atoms;
        for (unsigned a = r.first_atoms[r.first + residue]; a < end; ++a) {
            if (distance2(atoms[a], atom) <= CONTACT * CONTACT) {
                atomicAdd(contacts + r.first + residue, 1u);
                break;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 4)
    surfaces(uint2* __restrict__ out, unsigned* __restrict__ contacts, const unsigned* __restrict__ offsets,
             const Item* __restrict__ items, const float4* __restrict__ atoms, const Descriptor* __restrict__ descriptors,
             const unsigned* __restrict__ chain_ids, const unsigned* __restrict__ residue_atoms,
             const float4* __restrict__ all_sorted, const unsigned* __restrict__ all_cells,
             const unsigned* __restrict__ all_owners, const Frame* __restrict__ frames,
             const float4* __restrict__ points, unsigned n_points) {
    __shared__ Frame f;
    __shared__ uint2 all_runs[WARPS][32];
    __shared__ unsigned all_near[WARPS][NEAR];
    __shared__ float4 all_nearest[WARPS][FIRST];
    __shared__ float4 all_others[WARPS][OTHERS];
    __shared__ unsigned all_touched[WARPS][CONTACTS];
    __shared__ float4 all_open[WARPS][POINTS];
    Item item = items[blockIdx.x];
    if (threadIdx.x == 0) f = frames[item.structure];
    __syncthreads();
    Descriptor d = descriptors[item.structure];
    Residues residues = {chain_ids, residue_atoms, d.ca_offset, d.n_residues, d.n_atoms};
    const unsigned* starts = all_cells + size_t(item.atoms) * WORDS;
    const float4* sorted = all_sorted + item.atoms;
    const unsigned* owners = all_owners + item.atoms;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, below = (1u << lane) - 1;
    unsigned begin = offsets[blockIdx.x], count = offsets[blockIdx.x + 1] - begin;
    uint2* runs = all_runs[warp];
    float4 *nearest = all_nearest[warp], *others = all_others[warp], *open = all_open[warp];
    unsigned *near_ones = all_near[warp], *touched = all_touched[warp];
    for (unsigned at = warp; at < count; at += WARPS) {
        float4 atom = sorted[item.first + at];
        unsigned own = owners[item.first + at];
        Centre c = {atom, atom.w + PROBE, 0.5f / (atom.w + PROBE)};
        float farthest = c.reach + (f.largest + PROBE), gap2 = 0.f;
        Run mine = near(f, starts, atom, lane, &gap2);
        bool some = mine.first < mine.end, close = gap2 < farthest * farthest;
        unsigned n_runs = 0, n_near = 0, n_nearest = 0, n_others = 0, n_touched = 0, within = 0;
        push(runs, 32, n_runs, some && close, make_uint2(mine.first, mine.end), below);
        unsigned n_close = n_runs;
        push(runs, 32, n_runs, some && !close, make_uint2(mine.first, mine.end), below);
        __syncwarp();
        for (unsigned r = n_close; r < n_runs; ++r) {
            uint2 run = runs[r];
            for (unsigned k = run.x + lane; k < run.y; k += 32) within += distance2(atom, sorted[k]) <= REACH * REACH;
        }
        for (unsigned r = 0; r < n_close; ++r) {
            uint2 run = runs[r];
            for (unsigned first = run.x; first < run.y; first += 32) {
                unsigned k = first + lane;
                float d2 = k < run.y ? distance2(atom, sorted[k]) : INFINITY;
                within += d2 <= REACH * REACH;
                push(near_ones, NEAR, n_near, d2 < farthest * farthest, k, below);
            }
        }
        __syncwarp();
        bool complete = n_near <= NEAR;
        for (unsigned first = 0; first < min(n_near, NEAR); first += 32) {
            unsigned at = first + lane;
            Seen seen = {{}, INFINITY, false};
            if (at < min(n_near, NEAR)) seen = look(c, sorted[near_ones[at]]);
            push(nearest, FIRST, n_nearest, seen.touches && seen.d2 < NEAREST2, seen.plane, below);
            push(others, OTHERS, n_others, seen.touches && seen.d2 >= NEAREST2, seen.plane, below);
            unsigned residue = 0;
            bool touches = seen.d2 <= CONTACT * CONTACT;
            if (touches) {
                residue = owners[near_ones[at]];
                touches = residues.apart(own, residue);
            }
            push(touched, CONTACTS, n_touched, touches, residue, below);
        }
        __syncwarp();
        unsigned crowd = __reduce_add_sync(~0u, within), exposed = 0;
        if (!complete || n_touched > CONTACTS) {
            touch_all(residues, atoms + d.atom_offset, atom, own, contacts, lane);
        } else {
            for (unsigned turn = 0; turn < n_touched; turn += 32) {
                unsigned residue = turn + lane < n_touched ? touched[turn + lane] : ~lane;
                unsigned same = __match_any_sync(~0u, residue);
                bool is_first = residue < residues.count && __ffs(same) - 1 == lane;
                for (unsigned e = 0; e < turn && is_first; ++e) is_first = touched[e] != residue;
                if (is_first) atomicAdd(contacts + residues.first + residue, 1u);
            }
        }
        if (!complete || n_nearest > FIRST || n_others > OTHERS) {
            exposed = exposed_to_all(c, f, starts, sorted, points, n_points, lane);
        } else {
            for (unsigned group = 0; group < n_points; group += POINTS) {
                float4 share[EACH];
                bool covered[EACH];
                for (unsigned e = 0; e < EACH; ++e) {
                    unsigned p = group + lane + 32 * e;
                    covered[e] = p >= n_points;
                    share[e] = covered[e] ? float4{} : points[p];
                }
                for (unsigned j = 0; j < n_nearest; ++j) {
                    float4 plane = nearest[j];
                    for (unsigned e = 0; e < EACH; ++e)
                        covered[e] |= covers(plane, share[e].x, share[e].y, share[e].z);
                }
                unsigned n_open = 0;
                for (unsigned e = 0; e < EACH; ++e) push(open, POINTS, n_open, !covered[e], share[e], below);
                __syncwarp();
                for (unsigned turn = 0; turn < n_open; turn += 32) {
                    // As many lanes a point as there are to spare; each asks a part of the others.
                    unsigned rest = min(n_open - turn, 32u), spread = __clz(rest - 1) - 27, step = 1u << spread;
                    unsigned k = lane >> spread;
                    bool covered = false;
                    if (k < rest) {
                        float4 point = open[turn + k];
                        for (unsigned j = lane & (step - 1); j < n_others && !covered; j += step)
                            covered = covers(others[j], point.x, point.y, point.z);
                    }
                    unsigned votes = __ballot_sync(~0u, covered);
                    for (unsigned by = 1; by < step; by *= 2) votes |= votes >> by;
                    exposed += rest - __popc(votes & FIRSTS[spread]);
                }
                __syncwarp();
            }
        }
        __syncwarp();
        if (lane == 0) out[begin + at] = make_uint2(exposed, crowd);
    }
}
