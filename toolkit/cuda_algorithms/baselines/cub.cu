// CUB's algorithms on the inputs of benches/algorithms.rs, timed by events: a line `program,algorithm,size,type,distribution,milliseconds`
// each.
//
//     nvcc -O3 -std=c++17 -arch=native -o cub cub.cu && ./cub >cub.csv
//
// Arguments are beginnings of lines, without the program.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <string>
#include <type_traits>
#include <vector>

static void check(int status, int line) {
    if (status == 0) return;
    fprintf(stderr, "line %d: error %d\n", line, status);
    exit(1);
}
#define CHECK(call) check(int(call), __LINE__)

struct Two {
    uint64_t low, high;
};

static std::vector<std::string> asked;

static bool is_asked(const std::string& line) {
    if (asked.empty()) return true;
    for (auto& beginning : asked)
        if (line.compare(0, beginning.size(), beginning) == 0) return true;
    return false;
}

static uint64_t mixed(uint64_t i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

template <class K> static K made(uint64_t bits) {
    if constexpr (std::is_same_v<K, float>)
        return float(int64_t(bits) >> 40);
    else
        return K(bits >> (64 - 8 * sizeof(K)));
}

template <class K> static std::vector<K> keys(const char* distribution, uint64_t n) {
    std::vector<K> keys(n);
    uint64_t step = UINT64_MAX / n;
    for (uint64_t i = 0; i < n; ++i) {
        uint64_t number = 0;
        if (!strcmp(distribution, "uniform")) number = mixed(i);
        if (!strcmp(distribution, "sorted")) number = i * step;
        if (!strcmp(distribution, "reversed")) number = (n - 1 - i) * step;
        if (!strcmp(distribution, "sorted runs")) number = i / 64 << 32;
        if (!strcmp(distribution, "few distinct")) number = mixed(mixed(i) % 16);
        if (!strcmp(distribution, "one distinct")) number = mixed(0);
        keys[i] = made<K>(number);
    }
    return keys;
}

template <class T> static T* device(size_t n) {
    void* memory;
    CHECK(cudaMalloc(&memory, n * sizeof(T)));
    return (T*)memory;
}

template <class T> static T* uploaded(const std::vector<T>& values) {
    T* memory = device<T>(values.size());
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

// The median of 15 runs after three.
template <class F> static void timed(const std::string& line, F run) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin)), CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int turn = 0; turn < 18; ++turn) {
        CHECK(cudaEventRecord(begin));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        if (turn >= 3) times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    printf("CUB,%s,%.5f\n", line.c_str(), times[times.size() / 2]);
    fflush(stdout);
    CHECK(cudaEventDestroy(begin)), CHECK(cudaEventDestroy(end));
}

template <class K> static void sort(const char* types, const char* distribution, int exponent) {
    std::string line = "sort," + std::to_string(exponent) + "," + types + "," + distribution;
    if (!is_asked(line)) return;
    uint64_t n = 1ull << exponent;
    K *in = uploaded(keys<K>(distribution, n)), *out = device<K>(n);
    size_t room = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, room, in, out, n));
    char* scratch = device<char>(room);
    timed(line, [&] { CHECK(cub::DeviceRadixSort::SortKeys(scratch, room, in, out, n)); });
    CHECK(cudaFree(in)), CHECK(cudaFree(out)), CHECK(cudaFree(scratch));
}

template <class K, class V> static void sort_by_key(const char* types, const char* distribution, int exponent) {
    std::string line = "sort by key," + std::to_string(exponent) + "," + types + "," + distribution;
    if (!is_asked(line)) return;
    uint64_t n = 1ull << exponent;
    K *in = uploaded(keys<K>(distribution, n)), *out = device<K>(n);
    V *values = device<V>(n), *values_out = device<V>(n);
    CHECK(cudaMemset(values, 7, n * sizeof(V)));
    size_t room = 0;
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, room, in, out, values, values_out, n));
    char* scratch = device<char>(room);
    timed(line, [&] { CHECK(cub::DeviceRadixSort::SortPairs(scratch, room, in, out, values, values_out, n)); });
    CHECK(cudaFree(in)), CHECK(cudaFree(out)), CHECK(cudaFree(values)), CHECK(cudaFree(values_out)), CHECK(cudaFree(scratch));
}

static void reduce_and_scan(int exponent) {
    std::string rest = "," + std::to_string(exponent) + ",u32,uniform";
    uint64_t n = 1ull << exponent;
    if (!is_asked("reduce" + rest) && !is_asked("scan" + rest)) return;
    uint32_t *in = uploaded(keys<uint32_t>("uniform", n)), *out = device<uint32_t>(n);
    size_t room = 0, more = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, room, in, out, n));
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, more, in, out, n));
    char* scratch = device<char>(std::max(room, more));
    if (is_asked("reduce" + rest)) timed("reduce" + rest, [&] { CHECK(cub::DeviceReduce::Sum(scratch, room, in, out, n)); });
    if (is_asked("scan" + rest)) timed("scan" + rest, [&] { CHECK(cub::DeviceScan::InclusiveSum(scratch, more, in, out, n)); });
    CHECK(cudaFree(in)), CHECK(cudaFree(out)), CHECK(cudaFree(scratch));
}

static void select(int exponent) {
    std::string line = "select," + std::to_string(exponent) + ",u32,half";
    if (!is_asked(line)) return;
    uint64_t n = 1ull << exponent;
    std::vector<uint32_t> numbers = keys<uint32_t>("uniform", n);
    std::vector<uint8_t> kept(n);
    for (uint64_t i = 0; i < n; ++i) kept[i] = numbers[i] >> 7 & 1;
    uint32_t *in = uploaded(numbers), *out = device<uint32_t>(n), *found = device<uint32_t>(1);
    uint8_t* flags = uploaded(kept);
    size_t room = 0;
    CHECK(cub::DeviceSelect::Flagged(nullptr, room, in, flags, out, found, n));
    char* scratch = device<char>(room);
    timed(line, [&] { CHECK(cub::DeviceSelect::Flagged(scratch, room, in, flags, out, found, n)); });
    CHECK(cudaFree(in)), CHECK(cudaFree(out)), CHECK(cudaFree(found)), CHECK(cudaFree(flags)), CHECK(cudaFree(scratch));
}

struct Plus {
    __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};

static void runs(uint64_t length, int exponent) {
    std::string rest = "," + std::to_string(exponent) + ",u32,runs of " + std::to_string(length);
    uint64_t n = 1ull << exponent;
    if (!is_asked("unique" + rest) && !is_asked("reduce by key" + rest)) return;
    std::vector<uint32_t> numbers(n);
    uint32_t run = 0;
    for (uint64_t i = 0; i < n; ++i) numbers[i] = run += mixed(i) % length == 0;
    uint32_t *in = uploaded(numbers), *out = device<uint32_t>(n), *values = device<uint32_t>(n), *found = device<uint32_t>(1);
    size_t room = 0, more = 0;
    CHECK(cub::DeviceSelect::Unique(nullptr, room, in, out, found, n));
    CHECK(cub::DeviceReduce::ReduceByKey(nullptr, more, in, out, in, values, found, Plus(), n));
    char* scratch = device<char>(std::max(room, more));
    if (is_asked("unique" + rest))
        timed("unique" + rest, [&] { CHECK(cub::DeviceSelect::Unique(scratch, room, in, out, found, n)); });
    if (is_asked("reduce by key" + rest))
        timed("reduce by key" + rest,
              [&] { CHECK(cub::DeviceReduce::ReduceByKey(scratch, more, in, out, in, values, found, Plus(), n)); });
    CHECK(cudaFree(in)), CHECK(cudaFree(out)), CHECK(cudaFree(values)), CHECK(cudaFree(found)), CHECK(cudaFree(scratch));
}

static void histogram(const char* distribution, int exponent) {
    std::string line = "histogram," + std::to_string(exponent) + ",u8," + distribution;
    if (!is_asked(line)) return;
    uint64_t n = 1ull << exponent;
    uint8_t* in = uploaded(keys<uint8_t>(distribution, n));
    int* counts = device<int>(256);
    size_t room = 0;
    CHECK(cub::DeviceHistogram::HistogramEven(nullptr, room, in, counts, 257, 0, 256, int(n)));
    char* scratch = device<char>(room);
    timed(line, [&] { CHECK(cub::DeviceHistogram::HistogramEven(scratch, room, in, counts, 257, 0, 256, int(n))); });
    CHECK(cudaFree(in)), CHECK(cudaFree(counts)), CHECK(cudaFree(scratch));
}

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) asked.push_back(arguments[i]);
    for (int exponent : {10, 12, 14, 16, 20, 24, 26, 28}) {
        sort<uint32_t>("u32", "uniform", exponent);
        sort_by_key<uint32_t, uint32_t>("u32 u32", "uniform", exponent);
    }
    for (int exponent : {16, 20, 24, 26, 28}) {
        reduce_and_scan(exponent);
        select(exponent);
        for (uint64_t length : {1, 8, 1000}) runs(length, exponent);
        for (const char* distribution : {"uniform", "few distinct", "one distinct"}) histogram(distribution, exponent);
    }
    for (const char* distribution : {"sorted", "reversed", "sorted runs", "few distinct", "one distinct"}) {
        sort<uint32_t>("u32", distribution, 26);
        sort_by_key<uint32_t, uint32_t>("u32 u32", distribution, 26);
    }
    sort<uint8_t>("u8", "uniform", 26);
    sort<uint16_t>("u16", "uniform", 26);
    sort<uint64_t>("u64", "uniform", 26);
    sort<float>("f32", "uniform", 26);
    sort_by_key<uint8_t, uint32_t>("u8 u32", "uniform", 26);
    sort_by_key<uint16_t, uint32_t>("u16 u32", "uniform", 26);
    sort_by_key<uint64_t, uint32_t>("u64 u32", "uniform", 26);
    sort_by_key<uint32_t, uint64_t>("u32 u64", "uniform", 26);
    sort_by_key<uint64_t, uint64_t>("u64 u64", "uniform", 26);
    sort_by_key<uint32_t, Two>("u32 [u64; 2]", "uniform", 26);
    sort_by_key<uint64_t, Two>("u64 [u64; 2]", "uniform", 26);
}
