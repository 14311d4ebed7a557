// A thread-local RecordFunction callback; operator names tell the attention kernel.
#include "engine/kernel_probe.h"

#include <ATen/record_function.h>

namespace transformeter {
namespace {

// The callback is a plain function, so the probe that listens on this thread is found here.
thread_local std::set<std::string>* listener = nullptr;

std::unique_ptr<at::ObserverContext> note_operator(const at::RecordFunction& function) {
  if (listener != nullptr) listener->insert(function.name());
  return nullptr;
}

bool has_part(const std::set<std::string>& names, const char* part) {
  for (const std::string& name : names) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

struct KernelProbe::Handle {
  at::CallbackHandle id;
};

KernelProbe::KernelProbe() {
  listener = &seen_;
  at::RecordFunctionCallback callback(&note_operator);
  callback.scopes({at::RecordScope::FUNCTION});
  handle_ = std::make_unique<Handle>(Handle{at::addThreadLocalCallback(callback)});
}

KernelProbe::~KernelProbe() {
  at::removeCallback(handle_->id);
  listener = nullptr;
}

std::string KernelProbe::attention_kernel() const {
  if (has_part(seen_, "_scaled_dot_product_flash_attention")) return "flash";
  if (has_part(seen_, "_scaled_dot_product_attention_math")) return "math";
  return has_part(seen_, "softmax") ? "eager" : "none";
}

}  // namespace transformeter
