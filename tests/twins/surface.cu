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
    float origin[3], edge;
    unsigned size[3], padding;
};

constexpr float REACH = 10.f, SLACK = 0.02f, PROBE = 1.4f;
constexpr unsigned ROWS = 25, NEIGHBOURS = 96, POINTS = 128, EACH = POINTS / 32, FIRST = 16, WARPS = 8, WORDS = 9;

__constant__ signed char NEAR_FIRST[ROWS][2] = {
    {0, 0},  {-1, 0}, {1, 0},   {0, -1}, {0, 1},   {-1, -1}, {-1, 1}, {1, -1}, {1, 1},  {-2, 0},  {2, 0},  {0, -2}, {0, 2},
    {-2, -1}, {-2, 1}, {2, -1}, {2, 1},  {-1, -2}, {1, -2},  {-1, 2}, {1, 2},  {-2, -2}, {-2, 2}, {2, -2}, {2, 2}};

struct Run {
    unsigned first, end;
};

__device__ __forceinline__ unsigned cell(const Frame& f, int axis, float at) {
    return min(__float2uint_rz((at - f.origin[axis]) / f.edge), f.size[axis] - 1);
}

__device__ __forceinline__ float gap(const Frame& f, int axis, float at, unsigned c) {
    float low = fmaf(float(c), f.edge, f.origin[axis]) - SLACK;
    float high = fmaf(float(c + 1), f.edge, f.origin[axis]) + SLACK;
    return fmaxf(0.f, fmaxf(low - at, at - high));
}

// Run k of the atoms within reach of one.
__device__ __forceinline__ Run near(const Frame& f, const unsigned* starts, float4 atom, unsigned k) {
    if (k >= ROWS) return {0, 0};
    unsigned y = cell(f, 1, atom.y) + NEAR_FIRST[k][0], z = cell(f, 2, atom.z) + NEAR_FIRST[k][1];
    if (y >= f.size[1] || z >= f.size[2]) return {0, 0};
    float gap_y = gap(f, 1, atom.y, y), gap_z = gap(f, 2, atom.z, z);
    float rest = REACH * REACH - fmaf(gap_y, gap_y, gap_z * gap_z);
    if (rest < 0.f) return {0, 0};
    float half = sqrtf(rest) + SLACK;
    unsigned row = (z * f.size[1] + y) * f.size[0];
    return {starts[row + cell(f, 0, atom.x - half)], starts[row + cell(f, 0, atom.x + half) + 1]};
}

struct Centre {
    float4 atom;
    float reach, half;
};

struct Seen {
    float4 plane;
    bool touches, within;
};

__device__ __forceinline__ Seen look(const Centre& c, float4 other) {
    float x = other.x - c.atom.x, y = other.y - c.atom.y, z = other.z - c.atom.z;
    float d2 = fmaf(x, x, fmaf(y, y, z * z));
    float reach = other.w + PROBE, both = c.reach + reach;
    bool touches = d2 < both * both && (d2 > 0.f || reach > c.reach);
    return {make_float4(x, y, z, fmaf(c.reach - reach, both, d2) * c.half), touches, d2 <= REACH * REACH};
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
            Run run = near(f, starts, c.atom, k);
            for (unsigned at = run.first; at < run.end && !covered; ++at) {
                Seen seen = look(c, sorted[at]);
                covered = seen.touches && covers(seen.plane, point.x, point.y, point.z);
            }
        }
        open += !covered;
    }
    return __reduce_add_sync(~0u, open);
}

extern "C" __global__ void __launch_bounds__(256, 4)
    surfaces(uint2* __restrict__ out, const unsigned* __restrict__ offsets, const Item* __restrict__ items,
             const Descriptor* __restrict__ descriptors, const float4* __restrict__ all_sorted,
             const unsigned* __restrict__ all_cells, const Frame* __restrict__ frames,
             const float4* __restrict__ points, unsigned n_points) {
    __shared__ Frame f;
    __shared__ float4 all_neighbours[WARPS][NEIGHBOURS];
    __shared__ float4 all_alive[WARPS][POINTS];
    Item item = items[blockIdx.x];
    if (threadIdx.x == 0) f = frames[item.structure];
    __syncthreads();
    const unsigned* starts = all_cells + size_t(item.atoms) * WORDS;
    const float4* sorted = all_sorted + item.atoms;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, below = (1u << lane) - 1;
    unsigned begin = offsets[blockIdx.x], count = offsets[blockIdx.x + 1] - begin;
    float4 *neighbours = all_neighbours[warp], *alive = all_alive[warp];
    for (unsigned at = warp; at < count; at += WARPS) {
        float4 atom = sorted[item.first + at];
        Centre c = {atom, atom.w + PROBE, 0.5f / (atom.w + PROBE)};
        Run mine = near(f, starts, atom, lane);
        unsigned left = __ballot_sync(~0u, mine.first < mine.end), within = 0, n = 0;
        while (left) {
            unsigned from = __ffs(left) - 1;
            left &= left - 1;
            Run run = {__shfl_sync(~0u, mine.first, from), __shfl_sync(~0u, mine.end, from)};
            for (unsigned first = run.first; first < run.end; first += 32) {
                unsigned k = first + lane;
                Seen seen = {};
                if (k < run.end) seen = look(c, sorted[k]);
                within += seen.within;
                unsigned some = __ballot_sync(~0u, seen.touches), place = n + __popc(some & below);
                if (seen.touches && place < NEIGHBOURS) neighbours[place] = seen.plane;
                n += __popc(some);
            }
        }
        __syncwarp();
        unsigned crowd = __reduce_add_sync(~0u, within), exposed = 0;
        if (n > NEIGHBOURS) {
            exposed = exposed_to_all(c, f, starts, sorted, points, n_points, lane);
        } else {
            unsigned some = min(n, FIRST);
            for (unsigned group = 0; group < n_points; group += POINTS) {
                float4 share[EACH];
                bool covered[EACH];
                for (unsigned e = 0; e < EACH; ++e) {
                    unsigned p = group + lane + 32 * e;
                    covered[e] = p >= n_points;
                    share[e] = covered[e] ? float4{} : points[p];
                }
                for (unsigned j = 0; j < some; ++j) {
                    float4 plane = neighbours[j];
                    for (unsigned e = 0; e < EACH; ++e)
                        covered[e] |= covers(plane, share[e].x, share[e].y, share[e].z);
                }
                unsigned open = 0;
                for (unsigned e = 0; e < EACH; ++e) {
                    unsigned votes = __ballot_sync(~0u, !covered[e]);
                    if (!covered[e]) alive[open + __popc(votes & below)] = share[e];
                    open += __popc(votes);
                }
                __syncwarp();
                for (unsigned turn = 0; turn < open; turn += 32) {
                    bool is_open = turn + lane < open;
                    if (is_open) {
                        float4 point = alive[turn + lane];
                        for (unsigned j = some; j < n && is_open; ++j)
                            is_open = !covers(neighbours[j], point.x, point.y, point.z);
                    }
                    exposed += __popc(__ballot_sync(~0u, is_open));
                }
                __syncwarp();
            }
        }
        __syncwarp();
        if (lane == 0) out[begin + at] = make_uint2(exposed, crowd);
    }
}
