// The few functions of the driver interface that are needed, declared as NVIDIA documents them (CUDA Driver API,
// "Initialization", "Version Management", "Device Management"). Their names and types have been stable since CUDA 11.
#include "machine/cuda_driver.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "machine/loaded_library.h"

namespace transformeter {
namespace {

constexpr int kSuccess = 0;
constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

struct Driver {
  int (*init)(unsigned flags);
  int (*driver_version)(int* version);
  int (*device_count)(int* count);
  int (*device)(int* device, int ordinal);
  int (*name)(char* name, int length, int device);
  int (*pci_bus_id)(char* id, int length, int device);
  int (*attribute)(int* value, int attribute, int device);
  int (*total_bytes)(std::size_t* bytes, int device);
  int (*error_name)(int error, const char** name);

  bool is_whole() const {
    return init != nullptr && driver_version != nullptr && device_count != nullptr && device != nullptr &&
           name != nullptr && pci_bus_id != nullptr && attribute != nullptr && total_bytes != nullptr &&
           error_name != nullptr;
  }
  std::string error_text(int error) const {
    const char* text = nullptr;
    return error_name(error, &text) == kSuccess && text != nullptr ? text : fmt::format("error {}", error);
  }
};

Driver functions_of(const LoadedLibrary& library) {
  return {library.function<int(unsigned)>("cuInit"),
          library.function<int(int*)>("cuDriverGetVersion"),
          library.function<int(int*)>("cuDeviceGetCount"),
          library.function<int(int*, int)>("cuDeviceGet"),
          library.function<int(char*, int, int)>("cuDeviceGetName"),
          library.function<int(char*, int, int)>("cuDeviceGetPCIBusId"),
          library.function<int(int*, int, int)>("cuDeviceGetAttribute"),
          library.function<int(std::size_t*, int)>("cuDeviceTotalMem_v2"),
          library.function<int(int, const char**)>("cuGetErrorName")};
}

CudaGpu describe(const Driver& driver, int ordinal) {
  CudaGpu gpu;
  int device = 0;
  if (driver.device(&device, ordinal) != kSuccess) return gpu;
  std::array<char, 128> text{};
  const auto size = static_cast<int>(text.size());
  if (driver.name(text.data(), size, device) == kSuccess) gpu.name = text.data();
  if (driver.pci_bus_id(text.data(), size, device) == kSuccess) gpu.pci_bus_id = text.data();
  driver.attribute(&gpu.capability_major, kCapabilityMajor, device);
  driver.attribute(&gpu.capability_minor, kCapabilityMinor, device);
  std::size_t bytes = 0;
  if (driver.total_bytes(&bytes, device) == kSuccess) gpu.total_bytes = bytes;
  return gpu;
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

CudaDriverFinding find_cuda_driver(const std::string& name) {
  std::string why_not;
  const auto library = LoadedLibrary::open(name, why_not);
  if (!library) return {std::nullopt, fmt::format("no NVIDIA driver: {}; install the GPU's driver", why_not)};
  const Driver functions = functions_of(*library);
  if (!functions.is_whole()) {
    return {std::nullopt, fmt::format("{} is too old (before CUDA 11); update it", name)};
  }
  if (const int error = functions.init(0); error != kSuccess && error != kNoDevice) {
    return {std::nullopt,
            fmt::format("the NVIDIA driver does not start: {}; check nvidia-smi", functions.error_text(error))};
  }
  CudaDriver driver;
  int count = 0;
  functions.driver_version(&driver.version);
  if (functions.device_count(&count) != kSuccess || count == 0) {
    return {std::nullopt, fmt::format("the NVIDIA driver (CUDA {}) shows no GPU to this process; check "
                                      "CUDA_VISIBLE_DEVICES, or start the container with --gpus",
                                      cuda_version_text(driver.version))};
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) driver.gpus.push_back(describe(functions, ordinal));
  return {std::move(driver), {}};
}

}  // namespace transformeter
