// There are as many scratches as threads have encoded at once.
#include "tokenizers/encode_scratch.h"

#include <utility>

namespace transformeter {

ScratchPool::Lease ScratchPool::take() {
  std::unique_ptr<EncodeScratch> scratch;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      scratch = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (scratch == nullptr) scratch = std::make_unique<EncodeScratch>();
  return {*this, std::move(scratch)};
}

void ScratchPool::give_back(std::unique_ptr<EncodeScratch> scratch) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(scratch));
}

}  // namespace transformeter
