// A driver library with as many GPUs as FAKE_GPUS says: what a test opens in place of libcuda.so.1.
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return number("FAKE_CUDA_INIT", 0);
}
int cuDriverGetVersion(int* version) {
  *version = number("FAKE_CUDA_VERSION", 13000);
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = number("FAKE_GPUS", 1);
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "Fake H100", static_cast<std::size_t>(length));
  return 0;
}
int cuDeviceGetPCIBusId(char* id, int length, int device) {
  std::strncpy(id, "0000:3b:00.0", static_cast<std::size_t>(length));
  id[11] = static_cast<char>('0' + device);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kMajor = 75;
  *value = attribute == kMajor ? 9 : 0;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{80} << 30;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 999 ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
  return 0;
}
}
