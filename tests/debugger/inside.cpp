// What the library holds, for run.py to look at with a debugger; comments as in tensors.cpp.
#include "look_here.hpp"

#include "engine/graph/graph.hpp"
#include "engine/plan/subgraph.hpp"
#include "engine/run/plan_cache.hpp"
#include "runtime/memory/arena.hpp"

#include <sinter/sinter.hpp>

#include <cstring>
#include <unistd.h>

// Only the debugger reads the variables.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

using namespace sinter;

int main() {
    Tensor x = ones({200, 300}), w = ones({300, 40}), y = zeros({4, 6});
    eval({x, w, y});
    Tensor r = relu((x * 2).mm(w) + 1);
    y.select(1, 2).fill_(3);

    Version& version = *r.unsafeGetTensorImpl()->storage->current;
    Node& node = *version.producer;
    Edge& edge = node.sources[0];
    Node& product = *edge.value->producer;
    Version& known = *x.unsafeGetTensorImpl()->storage->current;
    Storage& storage = *y.unsafeGetTensorImpl()->storage;
    Node& part = *storage.current->producer;
    const geometry& shape = *part.shape;
    // version: 8000 of Float on cpu, pending: add+relu
    // node: add+relu -> Float [200, 40] strides [40, 1] on cpu, reads 1, claimed
    // edge: 8000 of Float on cpu, pending: mm; read as Float [200, 40] strides [40, 1]
    // product: mm -> Float [200, 40] strides [40, 1] on cpu, reads 2, claimed
    // known: 60000 of Float on cpu, ready
    // storage: 24 of Float on cpu, pending: copy, 1 changes
    // part: copy -> Float [4] strides [6] offset 2 on cpu, reads 1, writes a part
    // shape: [4] strides [6] offset 2
    intrusive_ptr<Version> value = edge.value;
    intrusive_ptr<Buffer> buffer = known.buffer;
    // value: 0xADDRESS, 2 references: 8000 of Float on cpu, pending: mm
    // buffer: 0xADDRESS, 3 references: 240000 bytes at 0xADDRESS on cpu

    const runtime::arena memory;
    Version* targets[] = {&version};
    plan::claimed_work claimed(targets);
    const plan::plan& plan = plan::find_or_build(claimed.w).e->data;
    const plan::plan_step& step = plan.steps[0];
    const plan::kernel_step& kernel = *step.kernel;
    // plan: 1 steps over 5 values, 0 temporaries, 2 cuts: kernel over [...] of %0, ...
    // step: kernel over [...] of %0, 2 operands, ... bytes + library node %1 + ...
    // kernel: kernel over [...] of %2, ... operands, ... bytes

    alignas(16) static unsigned char garbage[4096];
    std::memset(garbage, 0xAB, sizeof(garbage));
    const Node& broken = reinterpret_cast<const Node&>(garbage);
    const Version& broken_version = reinterpret_cast<const Version&>(garbage);
    const plan::plan& broken_plan = reinterpret_cast<const plan::plan&>(garbage);
    const plan::kernel_step& nowhere = *reinterpret_cast<const plan::kernel_step*>(0x1230);
    // broken: <an unknown kind of operation> -> <dtype -85> <no memory at 0xADDRESS> on <device ...
    // broken_version: -6076574518398440533 of <dtype -85> on <device -85>, <state 171>
    // broken_plan: 0 steps over -1414812757 values, 0 temporaries, 0 cuts
    // nowhere: <no memory at 0xADDRESS>

    look_here();
    _exit(0);
}
