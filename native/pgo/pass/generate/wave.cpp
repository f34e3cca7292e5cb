#include "pgo/pass/generate/wave.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/TargetParser.h>

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

unsigned amdgpuWaveSize(const Function& function) {
  const StringRef features = function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+wavefrontsize64")) return 64;
  if (features.contains("+wavefrontsize32")) return 32;
  const auto gpu = AMDGPU::parseArchAMDGCN(function.getFnAttribute("target-cpu").getValueAsString());
  return AMDGPU::getArchAttrAMDGCN(gpu) & AMDGPU::FEATURE_WAVE32 ? 32 : 64;
}

// 90 of "sm_90a"; 0 if the attribute is missing.
unsigned nvptxArchitecture(const Function& function) {
  StringRef name = function.getFnAttribute("target-cpu").getValueAsString();
  unsigned number = 0;
  if (!name.consume_front("sm_") || name.consumeInteger(10, number)) return 0;
  return number;
}

}  // namespace

Wave::Wave(const Function& function)
    : context_(function.getContext()),
      amdgpu_(function.getParent()->getTargetTriple().isAMDGCN()),
      size_(amdgpu_ ? amdgpuWaveSize(function) : 32),
      adds_up_(!amdgpu_ && nvptxArchitecture(function) >= 80) {}

std::string Wave::architecture(const Module& module) {
  for (const Function& function : module)
    if (!function.isDeclaration() && function.hasFnAttribute("target-cpu"))
      return function.getFnAttribute("target-cpu").getValueAsString().str();
  return "";
}

Value* Wave::mask(IRBuilderBase& at) const {
  if (amdgpu_) return at.CreateIntrinsic(Intrinsic::amdgcn_ballot, {at.getIntNTy(size_)}, {at.getTrue()});
  return at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::nvvm_activemask, {});
}

Value* Wave::ballot(IRBuilderBase& at, Value* condition, Value* active) const {
  if (amdgpu_) return at.CreateIntrinsic(Intrinsic::amdgcn_ballot, {at.getIntNTy(size_)}, {condition});
  return at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::nvvm_vote_ballot_sync, {active, condition});
}

Value* Wave::fullMask(IRBuilderBase& at) const {
  return Constant::getAllOnesValue(at.getIntNTy(size_));
}

Value* Wave::lanesBefore(IRBuilderBase& at, Value* mask) const {
  if (!amdgpu_)
    return at.CreateAnd(mask, at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {}));
  Type* i32 = at.getInt32Ty();
  Value* low = at.CreateIntrinsic(i32, Intrinsic::amdgcn_mbcnt_lo, {at.CreateTrunc(mask, i32), at.getInt32(0)});
  if (size_ == 32) return low;
  Value* high = at.CreateTrunc(at.CreateLShr(mask, 32), i32);
  return at.CreateIntrinsic(i32, Intrinsic::amdgcn_mbcnt_hi, {high, low});
}

// In halves, of which 32 cannot overflow.
Value* Wave::sumOfLanes(IRBuilderBase& at, Value* value, Value* mask) const {
  const auto sum = [&](Value* part) {
    Value* parts = at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::nvvm_redux_sync_add, {part, mask});
    return at.CreateZExt(parts, at.getInt64Ty());
  };
  Value* low = sum(at.CreateAnd(value, at.getInt32(0xffff)));
  Value* high = sum(at.CreateLShr(value, 16));
  return at.CreateAdd(at.CreateShl(high, 16), low);
}

Value* Wave::perLane(IRBuilderBase& at, Value* value) const {
  if (!amdgpu_) return value;
  auto* type = FunctionType::get(value->getType(), {value->getType()}, false);
  return at.CreateCall(InlineAsm::get(type, "", "=v,0", false), {value});
}

Value* Wave::workgroup(IRBuilderBase& at) const {
  const auto id = [&](Intrinsic::ID amdgpu, Intrinsic::ID nvptx) {
    return at.CreateIntrinsic(at.getInt32Ty(), amdgpu_ ? amdgpu : nvptx, {});
  };
  Value* x = id(Intrinsic::amdgcn_workgroup_id_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  Value* y = id(Intrinsic::amdgcn_workgroup_id_y, Intrinsic::nvvm_read_ptx_sreg_ctaid_y);
  Value* z = id(Intrinsic::amdgcn_workgroup_id_z, Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
  return at.CreateAdd(at.CreateAdd(x, at.CreateMul(y, at.getInt32(0x9E3779B1))),
                      at.CreateMul(z, at.getInt32(0x85EBCA77)));
}

Value* Wave::launch(IRBuilderBase& at) const {
  if (amdgpu_)
    return at.CreateTrunc(at.CreateIntrinsic(at.getInt64Ty(), Intrinsic::amdgcn_dispatch_id, {}), at.getInt32Ty());
  // The intrinsic of this name reads 32 bits, and PTX calls the register one of 64.
  auto* type = FunctionType::get(at.getInt64Ty(), false);
  return at.CreateTrunc(at.CreateCall(InlineAsm::get(type, "mov.u64 $0, %gridid;", "=l", false)), at.getInt32Ty());
}

Value* Wave::waveOfWorkgroup(IRBuilderBase& at) const {
  const Intrinsic::ID lane =
      amdgpu_ ? Intrinsic::ID{Intrinsic::amdgcn_workitem_id_x} : Intrinsic::ID{Intrinsic::nvvm_read_ptx_sreg_tid_x};
  Value* x = at.CreateIntrinsic(at.getInt32Ty(), lane, {});
  Value* wave = at.CreateLShr(x, size_ == 64 ? 6 : 5);
  return amdgpu_ ? at.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {at.getInt32Ty()}, {wave}) : wave;
}

SyncScope::ID Wave::deviceScope() const {
  return context_.getOrInsertSyncScopeID(amdgpu_ ? "agent" : "device");
}

}  // namespace kernloop::pgo_pass
