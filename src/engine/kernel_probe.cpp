// A RecordFunction callback for all threads; operator names tell the kernels.
#include "engine/kernel_probe.h"

#include <ATen/record_function.h>

#include <mutex>

namespace transformeter {
namespace {

// The callback is a plain function, so the probe that listens is found here.
std::mutex listener_mutex;
std::set<std::string>* listener = nullptr;

std::unique_ptr<at::ObserverContext> note_operator(const at::RecordFunction& function) {
  const std::lock_guard lock(listener_mutex);
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
  {
    const std::lock_guard lock(listener_mutex);
    listener = &seen_;
  }
  at::RecordFunctionCallback callback(&note_operator);
  callback.scopes({at::RecordScope::FUNCTION});
  handle_ = std::make_unique<Handle>(Handle{at::addGlobalCallback(callback)});
}

KernelProbe::~KernelProbe() {
  at::removeCallback(handle_->id);
  const std::lock_guard lock(listener_mutex);
  listener = nullptr;
}

std::string KernelProbe::attention_kernel() const {
  if (has_part(seen_, "_scaled_dot_product_flash_attention")) return "flash";
  if (has_part(seen_, "_flash_attention_forward")) return "flash_varlen";  // flash calls it too
  if (has_part(seen_, "_scaled_dot_product_efficient_attention")) return "memory_efficient";
  if (has_part(seen_, "_scaled_dot_product_cudnn_attention")) return "cudnn";
  if (has_part(seen_, "_scaled_dot_product_attention_math")) return "math";
  if (has_part(seen_, "transformeter::dropped_attention")) return "fused_dropout";
  if (has_part(seen_, "transformeter::widened_attention")) return "fused_widened";
  return has_part(seen_, "softmax") ? "eager" : "none";
}

std::string KernelProbe::linear_kernel() const {
  if (has_part(seen_, "onednn::qlinear")) return "onednn_int8";
  if (has_part(seen_, "aten::_int_mm")) return "int8";
  if (has_part(seen_, "aten::_weight_int8pack_mm")) return "int8_weight_only";
  if (has_part(seen_, "mkl::_mkl_linear")) return "mkl_prepacked";
  if (has_part(seen_, "mkldnn::_linear_pointwise")) return "onednn_prepacked";
  if (has_part(seen_, "transformeter::widened_linear")) return "widened";
  return has_part(seen_, "aten::linear") ? "linear" : "none";
}

}  // namespace transformeter
