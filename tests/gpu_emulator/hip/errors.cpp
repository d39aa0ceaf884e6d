// Names and descriptions of the codes, as HIP has them.
#include "exported.hpp"

namespace {

struct words {
    int code;
    const char *name, *text;
};
constexpr words table[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {200, "hipErrorInvalidImage", "device kernel image is invalid"},
    {201, "hipErrorInvalidContext", "invalid device context"},
    {209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {500, "hipErrorNotFound", "named symbol not found"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {704, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {999, "hipErrorUnknown", "unknown error"},
};

const char* find(int code, const char* words::* which) {
    for (const words& w : table)
        if (w.code == code) return w.*which;
    return find(999, which);
}

}  // namespace

EXPORTED const char* hipGetErrorName(int code) { return find(code, &words::name); }
EXPORTED const char* hipGetErrorString(int code) { return find(code, &words::text); }
