#include "core/run/launch.hpp"

#include "core/base/settings.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "core/memory/turns.hpp"

#include <atomic>
#include <cstring>
#include <numeric>

namespace gpu_emulator {
namespace {

std::string text_of(index3 i) {
    return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

index3 split(uint32_t number, index3 extents) {
    return {number % extents.x, number / extents.x % extents.y, number / extents.x / extents.y};
}

uint32_t next_number() {
    static std::atomic<uint32_t> last{0};
    return ++last;
}

launch::order draw_order(uint32_t count) {
    launch::order o;
    if (count < 2) return o;
    o.first = static_cast<uint32_t>(turns::get()->draw(count));
    do o.step = 1 + static_cast<uint32_t>(turns::get()->draw(count - 1));
    while (std::gcd(o.step, count) != 1);
    return o;
}

}  // namespace

launch::launch(device& d, const kernel_info& k, const launch_shape& s, launch_state& st)
    : on(d),
      kernel(k),
      shape(s),
      state(st),
      shared(k.shared_bytes + s.shared),
      shared_shadow(shared.size() / race_granule + 1),
      space(address_space::get()),
      begin(space.begin(d.number())),
      first(space.begin(0)),
      extent(space.arena()),
      races(static_cast<uint32_t>(vendor.warp)),
      race_limit(environment().race_limit) {
    if (turns::get()) {
        in_turns = true;
        block_order = draw_order(block_count());
        thread_order = draw_order(thread_count());
        backwards = turns::get()->draw(2) != 0;
    }
    me.launch = next_number();
    state.threads = shape.threads;
    state.blocks = shape.blocks;
    state.shared = shared.data();
    state.current = this;
}

index3 launch::thread_at(uint32_t number) const { return split(number, shape.threads); }
index3 launch::block_at(uint32_t number) const { return split(number, shape.blocks); }

void launch::begin_block(index3 block, uint32_t number) {
    state.block = block;
    me.block = number;
    me.epoch = 0;
    me.warp_epoch = 0;
    fences.begin_block();
    if (!shared.empty()) std::memset(shared.data(), 0xff, shared.size());
}

std::string launch::name_of(uint32_t block, uint32_t thread) const {
    return "block " + text_of(split(block, shape.blocks)) + ", thread " +
           text_of(thread_at(thread));
}

void launch::note(int code, const std::string& what, uint32_t line) {
    if (failed) return;
    failed = code;
    finding = what + "; kernel " + kernel.name + ", " + name_of(me.block, me.thread);
    if (line) finding += ", line " + std::to_string(line);
}

}  // namespace gpu_emulator
