// Arrays in the frame of a function, for lanes and states that do not fit in registers.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

using values = lane_emitter::values;  // one for each part of a lane or a state

/// Vectors of rows that run in turns, each with elements of its own in every array (panels.cpp).
struct row_blocks {
    int64_t most = 1;
    llvm::Value *count = nullptr, *current = nullptr;  // null: there is one
};

/// One part of an element of an array. Masks are bytes in memory.
struct frame_slot {
    llvm::IRBuilder<>& b;
    llvm::Type* type;
    bool masks;
    llvm::Value* address;

    llvm::Value* get() const {
        llvm::Value* v = b.CreateAlignedLoad(type, address, llvm::Align(1));
        return masks ? b.CreateICmpNE(v, llvm::Constant::getNullValue(type)) : v;
    }
    void set(llvm::Value* v) const {
        b.CreateAlignedStore(masks ? b.CreateZExt(v, type) : v, address, llvm::Align(1));
    }
};

/// An array of lanes or states of several parts: scalars, or vectors if `width` is not 0.
class frame_array {
public:
    frame_array() = default;
    frame_array(function_emitter& f, const row_blocks& blocks, const std::vector<mtype>& types,
                unsigned width, int64_t size)
        : f_(&f), blocks_(&blocks), size_(size) {
        for (mtype t : types) {
            llvm::Type* type = t == mtype::b1 ? f.b.getInt8Ty() : f.values.type(t);
            if (width) type = llvm::FixedVectorType::get(type, width);
            llvm::Value* memory = f.lanes.slot(type, f.number(blocks.most * size));
            parts_.push_back({f.b, type, t == mtype::b1, memory});
        }
    }

    frame_slot slot(std::size_t part, llvm::Value* n) const {
        frame_slot s = parts_[part];
        if (blocks_->current)
            n = f_->b.CreateAdd(f_->b.CreateMul(blocks_->current, f_->number(size_)), n);
        return {s.b, s.type, s.masks, s.b.CreateGEP(s.type, s.address, n)};
    }
    values get(llvm::Value* n) const {
        values all;
        for (std::size_t p = 0; p < parts_.size(); ++p) all.push_back(slot(p, n).get());
        return all;
    }
    void set(llvm::Value* n, const values& all) const {
        for (std::size_t p = 0; p < all.size(); ++p) slot(p, n).set(all[p]);
    }

private:
    function_emitter* f_ = nullptr;
    const row_blocks* blocks_ = nullptr;
    int64_t size_ = 0;
    std::vector<frame_slot> parts_;  // of element 0 of block 0
};

}  // namespace sinter::codegen
