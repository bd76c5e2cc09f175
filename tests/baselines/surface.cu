// Baseline of the kernel `atom_surfaces` (kernels-gpu/src/atoms/surface.rs) in CUDA C++, for benchmarks: the same
// algorithm on the same cells, and the same operations, so that it gives the same counts.
//
//     nvcc -O3 -arch=native -cubin -o surface.cubin surface.cu

struct Item {
    unsigned structure, atoms, boxes, first;
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

constexpr float REACH = 10.f, SLACK = 0.02f, PROBE = 1.4f, NEAREST2 = 3.5f * 3.5f;
constexpr unsigned ROWS = 25, CANDIDATES = 768, NEAR = 128, FIRST = 24, OTHERS = 80, POINTS = 128;
constexpr unsigned EACH = POINTS / 32, WARPS = 7, WORDS = 9, ATOMS_PER_ITEM = 1024;

__constant__ signed char NEAR_FIRST[ROWS][2] = {
    {0, 0},  {-1, 0}, {1, 0},   {0, -1}, {0, 1},   {-1, -1}, {-1, 1}, {1, -1}, {1, 1},  {-2, 0},  {2, 0},  {0, -2}, {0, 2},
    {-2, -1}, {-2, 1}, {2, -1}, {2, 1},  {-1, -2}, {1, -2},  {-1, 2}, {1, 2},  {-2, -2}, {-2, 2}, {2, -2}, {2, 2}};

// The first of every 1, 2, 4, .. 32 lanes.
__constant__ unsigned FIRSTS[6] = {~0u, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 1};

struct Run {
    unsigned first, end;
};

struct alignas(32) PointGroup {
    float4 points[POINTS];
    // Masks of who covers which, by 64 x 64 directions and 32 thresholds, and two more; then the number 64. This kernel tests
    // points instead.
    unsigned masks[64 * 64 * 32 + 2][8], side[8];
};

// The sizes that tests/benches/surface/baseline.rs asserts, too.
static_assert(sizeof(Item) == 16 && sizeof(Descriptor) == 24 && sizeof(Frame) == 48 && sizeof(PointGroup) == 4196448);

struct Bounds {
    float3 low, high;
};

__device__ __forceinline__ unsigned cell(const Frame& f, int axis, float at) {
    return min(__float2uint_rz((at - f.origin[axis]) * f.per_edge), f.size[axis] - 1);
}

__device__ __forceinline__ unsigned cell_of(const Frame& f, float4 atom) {
    return (cell(f, 2, atom.z) * f.size[1] + cell(f, 1, atom.y)) * f.size[0] + cell(f, 0, atom.x);
}

__device__ __forceinline__ float gap(const Frame& f, int axis, float from, float to, unsigned c) {
    float low = fmaf(float(c), f.edge, f.origin[axis]) - SLACK;
    float high = fmaf(float(c + 1), f.edge, f.origin[axis]) + SLACK;
    return fmaxf(0.f, fmaxf(low - to, from - high));
}

// Run k of the atoms within reach of a box in one cell.
__device__ __forceinline__ Run near(const Frame& f, const unsigned* starts, const Bounds& b, unsigned k) {
    if (k >= ROWS) return {0, 0};
    unsigned y = cell(f, 1, b.low.y) + NEAR_FIRST[k][0], z = cell(f, 2, b.low.z) + NEAR_FIRST[k][1];
    if (y >= f.size[1] || z >= f.size[2]) return {0, 0};
    float gap_y = gap(f, 1, b.low.y, b.high.y, y), gap_z = gap(f, 2, b.low.z, b.high.z, z);
    float rest = REACH * REACH - fmaf(gap_y, gap_y, gap_z * gap_z);
    if (rest < 0.f) return {0, 0};
    float half = sqrtf(rest) + SLACK;
    unsigned row = (z * f.size[1] + y) * f.size[0];
    return {starts[row + cell(f, 0, b.low.x - half)], starts[row + cell(f, 0, b.high.x + half) + 1]};
}

__device__ __forceinline__ Bounds bounds_of(float4 atom) {
    return {{atom.x, atom.y, atom.z}, {atom.x, atom.y, atom.z}};
}

// The square of how far an atom is from a box.
__device__ __forceinline__ float distance2(const Bounds& b, float4 to) {
    float x = fmaxf(0.f, fmaxf(b.low.x - to.x, to.x - b.high.x));
    float y = fmaxf(0.f, fmaxf(b.low.y - to.y, to.y - b.high.y));
    float z = fmaxf(0.f, fmaxf(b.low.z - to.z, to.z - b.high.z));
    return fmaf(x, x, fmaf(y, y, z * z));
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

__device__ __forceinline__ Seen look(const Centre& c, float4 other, bool is_one) {
    float x = other.x - c.atom.x, y = other.y - c.atom.y, z = other.z - c.atom.z;
    float d2 = fmaf(x, x, fmaf(y, y, z * z));
    float reach = other.w + PROBE, both = c.reach + reach;
    bool touches = is_one & (d2 < both * both) & ((d2 > 0.f) | (reach > c.reach));
    return {make_float4(x, y, z, fmaf(c.reach - reach, both, d2) * c.half), is_one ? d2 : INFINITY, touches};
}

__device__ __forceinline__ bool covers(float4 plane, float x, float y, float z) {
    return fmaf(x, plane.x, fmaf(y, plane.y, z * plane.z)) > plane.w;
}

__device__ __noinline__ unsigned exposed_to_all(const Centre& c, const Frame& f, const unsigned* starts,
                                                const float4* sorted, const PointGroup* points, unsigned n_points,
                                                unsigned lane) {
    unsigned open = 0;
    for (unsigned p = lane; p < n_points; p += 32) {
        const PointGroup& group = points[p / POINTS];
        float4 at = group.points[p % POINTS];
        float x = at.x, y = at.y, z = at.z;
        bool covered = false;
        for (unsigned k = 0; k < ROWS && !covered; ++k) {
            Run run = near(f, starts, bounds_of(c.atom), k);
            for (unsigned at = run.first; at < run.end && !covered; ++at) {
                Seen seen = look(c, sorted[at], true);
                covered = seen.touches && covers(seen.plane, x, y, z);
            }
        }
        open += !covered;
    }
    return __reduce_add_sync(~0u, open);
}

__device__ __noinline__ unsigned crowd_of_all(float4 atom, const Frame& f, const unsigned* starts, const float4* sorted,
                                              unsigned lane) {
    unsigned within = 0;
    for (unsigned k = 0; k < ROWS; ++k) {
        Run run = near(f, starts, bounds_of(atom), k);
        for (unsigned at = run.first + lane; at < run.end; at += 32) within += distance2(atom, sorted[at]) <= REACH * REACH;
    }
    return __reduce_add_sync(~0u, within);
}

// Puts a value of each lane that has one behind the `n` that are in a list.
template <typename T>
__device__ __forceinline__ void push(T* list, unsigned room, unsigned& n, bool has, T value, unsigned below) {
    unsigned some = __ballot_sync(~0u, has), place = n + __popc(some & below);
    if (has && place < room) list[place] = value;
    n += __popc(some);
}

__device__ __forceinline__ float least(float v) {
    for (int by = 16; by; by /= 2) v = fminf(v, __shfl_xor_sync(~0u, v, by));
    return v;
}

__device__ __forceinline__ float most(float v) {
    for (int by = 16; by; by /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, by));
    return v;
}

__device__ __forceinline__ unsigned inclusive_sum(unsigned v, unsigned lane) {
    for (unsigned by = 1; by < 32; by *= 2) {
        unsigned other = __shfl_up_sync(~0u, v, by);
        if (lane >= by) v += other;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(224, 4)
    surfaces(uint2* __restrict__ out, const unsigned* __restrict__ offsets,
             const Item* __restrict__ items, const Descriptor* __restrict__ descriptors,
             const float4* __restrict__ all_sorted, const unsigned* __restrict__ all_cells,
             const Frame* __restrict__ frames,
             const PointGroup* __restrict__ points, unsigned n_points) {
    __shared__ Frame f;
    __shared__ unsigned parts[ATOMS_PER_ITEM + 1], totals[WARPS], turn;
    __shared__ unsigned all_candidates[WARPS][CANDIDATES];
    __shared__ unsigned all_near[2][WARPS][NEAR];
    __shared__ float4 all_nearest[WARPS][FIRST];
    __shared__ float4 all_others[WARPS][OTHERS];
    Item item = items[blockIdx.x];
    if (threadIdx.x == 0) {
        f = frames[item.structure];
        turn = 0;
    }
    __syncthreads();
    const unsigned* starts = all_cells + size_t(item.atoms) * WORDS;
    const float4* sorted = all_sorted + item.atoms;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, below = (1u << lane) - 1;
    unsigned begin = offsets[blockIdx.x], count = offsets[blockIdx.x + 1] - begin;
    unsigned* candidates = all_candidates[warp];
    float4 *nearest = all_nearest[warp], *others = all_others[warp];

    // Where the item's cells begin: a warp takes the atoms of one.
    unsigned n_parts = 0;
    for (unsigned base = 0; base < count; base += blockDim.x) {
        unsigned k = base + threadIdx.x;
        bool begins = k < count && (k == 0 || cell_of(f, sorted[item.first + k]) != cell_of(f, sorted[item.first + k - 1]));
        unsigned votes = __ballot_sync(~0u, begins);
        if (lane == 0) totals[warp] = __popc(votes);
        __syncthreads();
        unsigned at = n_parts + __popc(votes & below);
        for (unsigned w = 0; w < WARPS; ++w) {
            if (w < warp) at += totals[w];
            n_parts += totals[w];
        }
        if (begins) parts[at] = k;
        __syncthreads();
    }
    if (threadIdx.x == 0) parts[n_parts] = count;
    __syncthreads();

    for (;;) {
        unsigned part = 0;
        if (lane == 0) part = atomicAdd(&turn, 1u);
        part = __shfl_sync(~0u, part, 0);
        if (part >= n_parts) break;
        unsigned first = item.first + parts[part], n = parts[part + 1] - parts[part];

        // All atoms within reach of the cell's.
        Bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (unsigned k = lane; k < n; k += 32) {
            float4 a = sorted[first + k];
            b.low = {fminf(b.low.x, a.x), fminf(b.low.y, a.y), fminf(b.low.z, a.z)};
            b.high = {fmaxf(b.high.x, a.x), fmaxf(b.high.y, a.y), fmaxf(b.high.z, a.z)};
        }
        b.low = {least(b.low.x), least(b.low.y), least(b.low.z)};
        b.high = {most(b.high.x), most(b.high.y), most(b.high.z)};
        Run run = near(f, starts, b, lane);
        unsigned n_candidates = 0;
        for (unsigned next = 0; next < ROWS;) {
            unsigned length = lane < next || run.end < run.first ? 0 : run.end - run.first;
            unsigned end = inclusive_sum(length, lane);
            unsigned fits = __ballot_sync(~0u, end <= CANDIDATES - min(n_candidates, CANDIDATES));
            unsigned until = max(~fits ? unsigned(__ffs(~fits) - 1) : 32u, next + 1);
            if (lane >= until) length = 0;
            unsigned total = __shfl_sync(~0u, end, min(until, 32u) - 1);
            __syncwarp();
            for (unsigned k = 0; k < length; ++k) {
                unsigned at = n_candidates + end - length + k;
                if (at < CANDIDATES) candidates[at] = run.first + k;
            }
            __syncwarp();
            unsigned kept = n_candidates, all = n_candidates + total;
            next = until;
            n_candidates = all;
            if (all > CANDIDATES) continue;
            for (unsigned k = kept; k < all; k += 32) {
                unsigned place = candidates[min(k + lane, all - 1)];
                bool keep = (k + lane < all) & (distance2(b, sorted[place]) <= REACH * REACH);
                unsigned votes = __ballot_sync(~0u, keep);
                __syncwarp();
                if (keep) candidates[kept + __popc(votes & below)] = place;
                kept += __popc(votes);
            }
            __syncwarp();
            n_candidates = kept;
        }
        bool listed = n_candidates <= CANDIDATES;

        for (unsigned k = 0; k < n; k += 2) {
            // For two atoms: how many are within reach, and who may touch them.
            bool two = k + 1 < n;
            float4 a = sorted[first + k], c = two ? sorted[first + k + 1] : make_float4(INFINITY, INFINITY, INFINITY, 0.f);
            float far_a = a.w + PROBE + (f.largest + PROBE), far_c = c.w + PROBE + (f.largest + PROBE);
            unsigned n_near[2] = {0, 0}, within = 0;
            unsigned last = min(n_candidates, CANDIDATES) - 1;
            __syncwarp();
            for (unsigned from = 0; from <= last && listed; from += 32) {
                bool is_one = from + lane <= last;
                unsigned place = candidates[min(from + lane, last)];
                float4 other = sorted[place];
                float d2_a = distance2(a, other), d2_c = distance2(c, other);
                within += is_one & (d2_a <= REACH * REACH) ? 1 : 0;
                within += is_one & (d2_c <= REACH * REACH) ? 1 << 16 : 0;
                push(all_near[0][warp], NEAR, n_near[0], is_one & (d2_a < far_a * far_a), place, below);
                push(all_near[1][warp], NEAR, n_near[1], is_one & (d2_c < far_c * far_c), place, below);
            }
            within = __reduce_add_sync(~0u, within);
            __syncwarp();
#pragma unroll 1
            for (unsigned which = 0; which < 1 + two; ++which) {
                unsigned at = first + k + which;
                float4 atom = sorted[at];
                Centre centre = {atom, atom.w + PROBE, 0.5f / (atom.w + PROBE)};
                unsigned* near_ones = all_near[which][warp];
                unsigned n_of = which ? n_near[1] : n_near[0], crowd = which ? within >> 16 : within & 0xffff;
                unsigned n_nearest = 0, n_others = 0, exposed = 0, end = min(n_of, NEAR) - 1;
                __syncwarp();
                for (unsigned from = 0; from <= end && n_of; from += 32) {
                    bool is_one = from + lane <= end;
                    unsigned place = near_ones[min(from + lane, end)];
                    Seen seen = look(centre, sorted[place], is_one);
                    push(nearest, FIRST, n_nearest, seen.touches && seen.d2 < NEAREST2, seen.plane, below);
                    push(others, OTHERS, n_others, seen.touches && seen.d2 >= NEAREST2, seen.plane, below);
                }
                __syncwarp();
                if (!listed || n_of > NEAR || n_nearest > FIRST || n_others > OTHERS) {
                    crowd = crowd_of_all(atom, f, starts, sorted, lane);
                    exposed = exposed_to_all(centre, f, starts, sorted, points, n_points, lane);
                } else {
                    for (unsigned g = 0, left = n_points; g * POINTS < n_points; ++g, left -= POINTS) {
                        const PointGroup& group = points[g];
                        float x[EACH], y[EACH], z[EACH];
                        bool covered[EACH];
                        for (unsigned e = 0; e < EACH; ++e) {
                            unsigned p = lane + 32 * e;
                            float4 at = group.points[p];
                            x[e] = at.x, y[e] = at.y, z[e] = at.z, covered[e] = p >= left;
                        }
                        for (unsigned j = 0; j < n_nearest; ++j) {
                            float4 plane = nearest[j];
                            for (unsigned e = 0; e < EACH; ++e) covered[e] |= covers(plane, x[e], y[e], z[e]);
                        }
                        // Points that are not covered yet are listed where the neighbours were.
                        unsigned n_open = 0;
                        __syncwarp();
                        for (unsigned e = 0; e < EACH; ++e)
                            push(near_ones, NEAR, n_open, !covered[e], lane + 32 * e, below);
                        __syncwarp();
                        for (unsigned turn = 0; turn < n_open; turn += 32) {
                            // As many lanes a point as there are to spare; each asks a part of the others.
                            unsigned rest = min(n_open - turn, 32u), spread = __clz(rest - 1) - 27, step = 1u << spread;
                            unsigned o = lane >> spread;
                            bool covered = false;
                            if (o < rest) {
                                unsigned p = near_ones[turn + o];
                                float4 at = group.points[p];
                                float x = at.x, y = at.y, z = at.z;
                                // Two at a time; the last one may be asked twice.
                                for (unsigned j = lane & (step - 1); j < n_others && !covered; j += 2 * step)
                                    covered = covers(others[j], x, y, z) | covers(others[min(j + step, n_others - 1)], x, y, z);
                            }
                            unsigned votes = __ballot_sync(~0u, covered);
                            for (unsigned by = 1; by < step; by *= 2) votes |= votes >> by;
                            exposed += rest - __popc(votes & FIRSTS[spread]);
                        }
                        __syncwarp();
                    }
                }
                if (lane == 0) out[item.atoms + at] = make_uint2(exposed, crowd);
            }
        }
        __syncwarp();
    }
}
