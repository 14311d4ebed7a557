// The CPU as a device: calls return when their work is done, so there is nothing to wait for.
#include "device/cpu_device.h"

#include <ATen/ops/empty_like.h>

#include "device/counting_allocator.h"

namespace transformeter {
namespace {

class CpuDevice final : public Device {
 public:
  CpuDevice() { install_counting_allocator(); }
  std::string name() const override { return "cpu"; }
  c10::Device torch_device() const override { return c10::Device(c10::kCPU); }
  void synchronize() override {}
  void reset_peak_allocated() override { reset_peak_allocated_bytes(); }
  std::int64_t peak_allocated_bytes() const override { return transformeter::peak_allocated_bytes(); }
  at::Tensor host_memory(const at::Tensor& like) override { return at::empty_like(like); }
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace transformeter
