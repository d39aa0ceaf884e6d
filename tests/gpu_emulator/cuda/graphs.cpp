// Graphs of launches, with the names of the CUDA driver API.
#include "core/base/codes.hpp"
#include "core/base/vendor.hpp"
#include "core/run/driver.hpp"
#include "exported.hpp"

using namespace gpu_emulator;

namespace {

struct CUDA_KERNEL_NODE_PARAMS_v2 {
    void* func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    void *kern, *ctx;
};

driver::kernel_node read(const CUDA_KERNEL_NODE_PARAMS_v2& p) {
    return {p.func,
            {{p.gridDimX, p.gridDimY, p.gridDimZ},
             {p.blockDimX, p.blockDimY, p.blockDimZ},
             p.sharedMemBytes},
            p.kernelParams};
}

}  // namespace

EXPORTED int cuGraphCreate(void** graph, unsigned flags) {
    return driver::create_graph(current_device(), graph, flags);
}
EXPORTED int cuGraphDestroy(void* graph) { return driver::destroy_graph(current_device(), graph); }
EXPORTED int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* dependencies,
                                     std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    if (!params || params->extra) return invalid_value;
    return driver::add_kernel_node(current_device(), node, graph, dependencies, count,
                                   read(*params));
}
EXPORTED int cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long flags) {
    return driver::instantiate(current_device(), instance, graph, flags);
}
EXPORTED int cuGraphExecDestroy(void* instance) {
    return driver::destroy_instance(current_device(), instance);
}
EXPORTED int cuGraphExecKernelNodeSetParams_v2(void* instance, void* node,
                                               const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    if (!params || params->extra) return invalid_value;
    return driver::set_kernel_node(current_device(), instance, node, read(*params));
}
EXPORTED int cuGraphLaunch(void* instance, void* stream) {
    return driver::launch_instance(current_device(), instance, stream);
}
