// The graph: storages, their versions, and the pending nodes that will compute them.
//
//   TensorImpl  the body of a tensor handle: a storage seen through a geometry.
//   Storage     the object that views share. It points to its newest version and owns the main
//               buffer, whose address does not change once outside code may know it.
//   Version     one immutable value of a storage. Pending (it has a producer), ready (it has a
//               buffer) or failed. Expression leaves and node sources hold versions, so they keep
//               the value of the line they were written on.
//   Node        a pending operation with exactly one result version, which owns the node.
//
// Before the main buffer is overwritten, a version in it that is still referenced moves to a
// separate buffer. This is the only hazard rule: engine/run/results/result_buffers.hpp. For partial
// writes it is seldom needed: engine/run/old_readers.hpp, engine/plan/in_place.hpp.
//
// One mutex guards links (sources, readers, producers) and claims. A flush claims the nodes that it
// will run, pins what they read, and works without the mutex. Flushes that need a claimed node, or
// would overwrite pinned bytes, wait. Values are therefore read without the mutex: a ready version
// never changes, except that an in-place write may move its bytes while nothing pins them.
#pragma once

#include <sinter/core/geometry.hpp>
#include <sinter/dtype.hpp>
#include <sinter/expr/program.hpp>
#include <sinter/op/op.hpp>
#include <sinter/options.hpp>
#include <sinter/scalar.hpp>

#include "kernels/kernel_op.hpp"
#include "runtime/base/fault.hpp"
#include "runtime/base/spin_lock.hpp"
#include "runtime/base/waiting_lock.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/strided/geometry.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <vector>

namespace sinter::inline v1 {

struct Node;
struct Storage;
using Buffer = runtime::buffer;

/// The tests of values on a GPU, shared by the values that depend on the same ones: deferred.hpp.
struct check_list;
void retain(check_list* c) noexcept;
void release(check_list* c) noexcept;

/// True while InferenceMode is on for this thread.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool in_inference_mode;

enum class version_state : uint8_t { pending, ready, failed };

/// A pointer that changes under home_lock and may be read without it: a reader that finds null need
/// not take the lock.
template <class T>
class peeked_ptr {
public:
    operator T*() const { return p_.load(std::memory_order_acquire); }  // NOLINT: as a pointer
    T* operator->() const { return *this; }
    peeked_ptr& operator=(T* p) {
        p_.store(p, std::memory_order_release);
        return *this;
    }

private:
    std::atomic<T*> p_{nullptr};
};

/// What the graph keeps for differentiation: gradient.hpp.
///@{
struct gradient_meta;
struct gradient_family;
struct recorded_gradient;
void retain(gradient_meta* m);
void release(gradient_meta* m);
///@}

/// A node's read of a version through an index map. Linked into the version's list of readers.
struct Edge {
    Node* reader = nullptr;
    intrusive_ptr<Version> value;  // null: the value is the element's index by `shape`'s strides
    geometry_ptr shape;
    Edge* previous = nullptr;
    Edge* next = nullptr;
    int32_t number = -1;  // number of the value in the flush that claimed the reader
    ScalarType dtype = ScalarType::Undefined;  // of the elements that `shape` counts
    bool pinned = false;
};

struct Version : runtime::pooled {
    detail::reference_count references;
    std::atomic<version_state> state{version_state::pending};
    ScalarType dtype = ScalarType::Undefined;
    runtime::device_index device = runtime::main_memory;
    int64_t numel = 0;                  // elements of the storage
    std::atomic<bool> external{false};  // as in Storage: must be read at once, not later
    std::atomic<int32_t> saved{0};      // gradient nodes that will read it
    Storage* owner = nullptr;           // the storage whose newest version this is; under home_lock
    peeked_ptr<Storage> home;           // the storage whose main buffer holds the bytes
    intrusive_ptr<Buffer> buffer;       // ready: holds the bytes
    Node* producer = nullptr;           // pending: owned
    Edge* readers = nullptr;            // pending nodes that read this version
    std::exception_ptr error;           // failed
    // external: a copy of the value from before outside code got its address. Expressions captured
    // earlier read the copy. Set under home_lock before `external` is set.
    intrusive_ptr<Version> before_external;
    // ready, several results: their buffers, until the nodes of the results take them
    std::unique_ptr<std::vector<intrusive_ptr<Buffer>>> parts;
    uint32_t fallback = 0;   // the references needed only if the write that replaces it fails
    int32_t index = -1;      // scratch for a walk under the graph mutex; -1 between walks
    bool kept = false;       // its bytes are counted in the limit on bytes that pending nodes read
    bool planned = false;    // made by a reduction or a partial write, which need a plan
    bool unwritten = false;  // ready without memory: make_unwritten
    bool orphan = false;     // ready, read by pending nodes, held by no tensor: orphans.hpp
    bool overwritten = false;  // a write has made another version the newest; under home_lock
    int32_t pins = 0;          // running reads; -1: a running write over its bytes; graph mutex
    intrusive_ptr<check_list> checks;  // set before it is ready; null: none
    Version* companion = nullptr;      // owned: accompany() in gradient.hpp; under the graph mutex
    // Links versions that wait for destruction, or orphans, which also have the other link.
    Version* next_of_kind = nullptr;
    Version* previous_orphan = nullptr;

    // Not defaulted, as below: `Version()` would clear all bytes before it sets them.
    Version() {}  // NOLINT(modernize-use-equals-default)
    ~Version();

    std::size_t nbytes() const { return static_cast<std::size_t>(numel) * elementSize(dtype); }
};

struct Storage : runtime::pooled {
    Storage() {}  // NOLINT(modernize-use-equals-default)
    detail::reference_count references;
    intrusive_ptr<Version> current;
    intrusive_ptr<Buffer> main;    // null until the first value is computed
    peeked_ptr<Version> resident;  // the version whose bytes are in `main`
    uint64_t version = 0;          // in-place changes so far
    // True if outside code may access the bytes: the storage is then never pending.
    std::atomic<bool> external{false};
    bool read_only = false;              // from_blob(const T*)
    bool inference = in_inference_mode;  // of an inference tensor: see <sinter/grad_mode.hpp>
    // True if a pointer into the storage was handed out, on any thread.
    std::atomic<bool> address_known{false};
    std::atomic<bool> differentiated{false};  // a tensor over it may have a gradient
    // Owned, and of tensors that hold no other one. Null unless `differentiated`.
    std::atomic<gradient_family*> family{nullptr};
};

void retain(Storage* s);
void release(Storage* s);
/// Throws Error if nothing may be written to the storage: its memory is read-only, or it was made
/// in inference mode, which is off now.
void require_writable(const char* op, const Storage& s);
/// Returns true if the version is the newest of a storage, so that tensors may read it.
bool has_owner(const Version& v);

/// Returns a reference to an object that another thread may be releasing, or null if its count is
/// already 0. The caller holds the mutex that keeps the memory valid.
template <class T>
intrusive_ptr<T> try_share(T* p) {
    if (!p || !p->references.add_if_any()) return {};
    return intrusive_ptr<T>::adopt(p);
}

struct TensorImpl : runtime::pooled {
    TensorImpl() {}  // NOLINT(modernize-use-equals-default)
    detail::reference_count references;
    intrusive_ptr<Storage> storage;
    geometry_ptr shape;
    ScalarType dtype = ScalarType::Undefined;
    runtime::device_index device = runtime::main_memory;  // same for all versions of its storage
    geometry_ptr base;                      // of a view: the shape of its family's tensor
    intrusive_ptr<gradient_meta> gradient;  // null: of the storage's family
};

/// Returns a leaf that leads to the gradient of the tensor, if operations are recorded.
leaf captured_with_gradient(const TensorImpl& t);
/// Notes how a new view is one of `of`, which may have a gradient.
void trace_view(TensorImpl& view, const TensorImpl& of);

/// Returns another reference to `v`. Inline, unlike `retain`.
inline intrusive_ptr<Version> share(Version* v) {
    v->references.add();
    return intrusive_ptr<Version>::adopt(v);
}

/// Returns the leaf that an expression over `t` holds.
inline leaf captured_leaf(const TensorImpl& t) {
    const Storage& s = *t.storage;
    if (fault("stale-version") && s.resident) return {t.shape, share(s.resident), false, t.dtype};
    if (s.differentiated.load(std::memory_order_relaxed)) [[unlikely]]
        return captured_with_gradient(t);
    return {t.shape, share(s.current.get()), s.external, t.dtype};
}

/// A program with the dtypes of its operands known: infer.hpp.
struct typed_program;

/// An interned program, never freed; programs with equal words have the same address.
struct program {
    std::vector<uint16_t> words;
    uint16_t leaves = 0;
    uint16_t scalars = 0;
    uint64_t digest = 0;
    mutable std::atomic<const typed_program*> recent{nullptr};  // the typed form used last
    mutable std::atomic<int64_t> cost{-1};                      // -1 until first computed
};
const program* intern(const program_ref& p);
/// Returns the cost of a program per element in primitives, as if it computed in Float.
int64_t cost_of(const program& p);

enum class node_kind : uint8_t { pointwise, reduce, library };

/// True while a backward pass makes nodes on this thread.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool in_backward_pass;

/// Edges and scalars follow the node in the same memory block.
struct Node {
    node_kind kind = node_kind::pointwise;
    bool marked = false;   // was fused away while still referenced: materialise it next time
    bool claimed = false;  // claimed by a running flush; under the graph mutex
    ScalarType dtype = ScalarType::Undefined;  // dtype of the result
    uint32_t depth = 1;  // pending operations on the longest path to known values
    union {
        uint64_t sequence;  // program order, once the node is recorded
        // Before: what will compute the gradients of its sources; null: they have none.
        recorded_gradient* gradient = nullptr;
    };
    Version* result = nullptr;  // null until the node is recorded
    // Layout of the result in its storage: a dense permutation of the whole storage. For a partial
    // write: the part that is written from sources[0], which has the same sizes. A reduction keeps
    // the reduced dimensions with size 1.
    geometry_ptr shape;
    std::span<Edge> sources;
    std::span<Scalar> scalars;  // pointwise
    union {
        const typed_program* code = nullptr;  // pointwise
        const kernel_op* library;
    };
    union {
        uint64_t reduced = 0;             // reduce: reduced dimensions, one bit each
        const op_attributes* attributes;  // library: owned; null if the operation has none
    };
    // reduce: reduces sources[0], converted to dtype `in`
    double correction = 0;
    op::reduction reduction{};
    ScalarType in = ScalarType::Undefined;
    bool checked = false;  // library: `check` has already read its values and passed
    const bool has_base;
    // pointwise: the result and all sources are real and share one dense geometry of more than one
    // element, and no source is reinterpreted as another dtype
    bool plain : 1 = false;
    bool backward : 1 = in_backward_pass;  // it computes a gradient
    // Some sources are 0-d in main memory, the others on `device`: to be copied before the node is
    // recorded.
    bool apart = false;
    // Device of the result and of all sources. The caller sets it for a node without sources.
    runtime::device_index device = runtime::main_memory;

    /// Returns true if the node writes only a part of a storage.
    bool partial() const { return has_base; }
    /// Returns true if the node computes several results: results.hpp.
    bool several() const {
        return kind == node_kind::library && attributes && !attributes->results.empty();
    }
    /// Partial write only: the read of the version that it changes. Stored after the sources.
    Edge& base() { return sources.data()[sources.size()]; }
    const Edge& base() const { return sources.data()[sources.size()]; }

    /// Returns a node with uninitialised edges. The caller constructs all of them in place before
    /// anything can throw.
    static std::unique_ptr<Node> bare(std::size_t sources, std::size_t scalars, bool base);
    static void operator delete(Node* n, std::destroying_delete_t) noexcept;

private:
    explicit Node(bool base) : has_base(base) {}
};

/// Releases the companion of a version that is destroyed.
void forget_companion(Version& v);

runtime::waiting_lock& graph_mutex();
/// Guards the pointers between storages and versions, which may be destroyed on any thread. Taken
/// after all other locks.
runtime::spin_lock& home_lock();
/// Marks the bytes as accessible to outside code. The caller has settled the storage. The value is
/// copied first if an expression that is not yet a node has captured it. That copy may throw
/// OutOfMemoryError; nothing has changed then.
void make_external(Storage& s);

// ---- geometry
/// Returns how many elements of this dtype the newest value of a storage holds.
int64_t elements_in(const Storage& s, ScalarType dtype);
/// Returns true if two tensors may share a byte.
bool may_overlap(const TensorImpl& a, const TensorImpl& b);

// ---- making nodes and tensors
/// The device on which the calling thread creates tensors that have no operands.
runtime::device_index& creation_device();

/// Returns a pointwise node: the program `code`, in postfix order, over leaves and scalars. Leaves
/// are expanded to `shape`. A leaf without a value yields the element's index by its strides and
/// offset (a Long).
std::unique_ptr<Node> pointwise_node(const program* code, std::span<const leaf> leaves,
                                     std::span<const Scalar> scalars, ScalarType dtype,
                                     geometry_ptr shape);
/// Returns the same node, and moves from the leaves.
std::unique_ptr<Node> pointwise_node(const program* code, std::span<leaf> leaves,
                                     std::span<const Scalar> scalars, ScalarType dtype,
                                     geometry_ptr shape);
/// Returns the same node, and moves from the leaves, which all have this `shape`, the same object
/// and plain, the dtype `in` and the same device.
std::unique_ptr<Node> alike_node(const program* code, std::span<leaf> leaves,
                                 std::span<const Scalar> scalars, ScalarType in, ScalarType dtype,
                                 geometry_ptr shape);
/// Returns a node that writes what `from` reads into the part `shape` of a storage whose value was
/// `base`.
std::unique_ptr<Node> place_node(const leaf& from, ScalarType dtype, geometry_ptr shape,
                                 intrusive_ptr<Version> base);
/// Returns a reduction of `source`, converted to `in`. The result is contiguous; reduced dimensions
/// have size 1.
std::unique_ptr<Node> reduce_node(op::reduction row, const leaf& source, ScalarType in,
                                  uint64_t reduced_dims, double correction, ScalarType dtype);
std::unique_ptr<Node> library_node(const kernel_op* op, std::span<const leaf> inputs,
                                   ScalarType dtype, geometry_ptr shape,
                                   attributes_ptr attributes = {});
/// Returns the same node as `library_node`, and moves from the inputs.
std::unique_ptr<Node> library_node_taking(const kernel_op* op, std::span<leaf> inputs,
                                          ScalarType dtype, geometry_ptr shape,
                                          attributes_ptr attributes = {});
/// What a recorded node asks for: to be run at its line, since it reads memory that the outside may
/// change; to be run now, since pending work has met its bounds; or that the readers of orphans are
/// run, since these hold much memory.
struct record_outcome {
    bool external = false, due = false, crowded = false;
};
/// Returns a tensor over a fresh storage whose value `node` will compute. Runs nothing:
/// engine/run/record.hpp does.
intrusive_ptr<TensorImpl> record(std::unique_ptr<Node> node, geometry_ptr shape,
                                 record_outcome& is);
/// A write that was recorded: the new value of the storage and the one before it.
struct recorded_write {
    intrusive_ptr<Version> value, before;
    record_outcome is;
    intrusive_ptr<recorded_gradient> gradient;  // of the elements that were written; null: none
};
/// Gives the storage of `target`, which has elements, a new version: `node` computes the elements
/// that `target` sees. Runs nothing.
recorded_write record_write(const TensorImpl& target, std::unique_ptr<Node> node);
/// Makes the value before a write the newest one again.
void take_back(Storage& s, const recorded_write& w);
/// Makes a ready version of more elements the newest one, in other memory.
void replace_newest(Storage& s, intrusive_ptr<Version> v);
/// Returns a pending version without a producer.
intrusive_ptr<Version> new_version(ScalarType dtype, int64_t numel, runtime::device_index device);
/// Returns a tensor over existing memory.
intrusive_ptr<TensorImpl> make_ready(intrusive_ptr<Buffer> buffer, ScalarType dtype,
                                     geometry_ptr shape);
/// Returns a tensor whose memory the first partial write to it allocates. It has elements, and the
/// caller writes all of them before anything reads one.
intrusive_ptr<TensorImpl> make_unwritten(ScalarType dtype, geometry_ptr shape,
                                         runtime::device_index device);
/// Returns an uninitialised tensor.
intrusive_ptr<TensorImpl> make_empty(ScalarType dtype, geometry_ptr shape,
                                     runtime::device_index device = creation_device());
intrusive_ptr<TensorImpl> make_view(const TensorImpl& of, geometry_ptr shape);
/// Returns a view of the same bytes as elements of another dtype, which `shape` counts.
intrusive_ptr<TensorImpl> make_view(const TensorImpl& of, geometry_ptr shape, ScalarType dtype);

}  // namespace sinter::inline v1
