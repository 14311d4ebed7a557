// A management library with GPUs of known state: what a test opens in place of libnvidia-ml.so.1. Two processes compute
// on a GPU, or as many as FAKE_PROCESSES says; FAKE_NVML=old leaves new functions' answers out.
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
struct Pci {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

bool is(const char* name, const char* value) {
  const char* const text = std::getenv(name);
  return text != nullptr && std::strcmp(text, value) == 0;
}

int fill(char* to, unsigned length, const char* text) {
  std::strncpy(to, text, length);
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return is("FAKE_NVML", "broken") ? 9 : 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int error) {
  return error == 9 ? "Driver Not Loaded" : "Not Found";
}
int nvmlSystemGetDriverVersion(char* to, unsigned length) {
  return fill(to, length, "580.65.06");
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = nullptr;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = nullptr;
  return std::strncmp(id, "0000:3b", 7) == 0 ? 0 : kNotFound;
}
int nvmlDeviceGetPciInfo_v3(void*, Pci* info) {
  std::memset(info, 0, sizeof *info);
  return fill(info->bus_id, sizeof info->bus_id, "00000000:3B:00.0");
}
int nvmlDeviceGetName(void*, char* to, unsigned length) {
  return fill(to, length, "Fake H100");
}
int nvmlDeviceGetUUID(void*, char* to, unsigned length) {
  return fill(to, length, "GPU-fake");
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {80ULL << 30, 79ULL << 30, 1ULL << 30};
  return 0;
}
int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1755 : 2619;
  return 0;
}
int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *current = *pending = is("FAKE_MIG", "1") ? 1 : 0;
  return 0;
}
int nvmlDeviceGetComputeMode(void*, int* mode) {
  *mode = is("FAKE_MODE", "exclusive") ? 3 : 0;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void*, Utilization* shares) {
  *shares = {25, 10};
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 345678;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  if (is("FAKE_NVML", "old")) return kNotSupported;
  *millijoules = 12345678;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* bits) {
  if (is("FAKE_NVML", "old")) return kNotSupported;
  *bits = is("FAKE_THROTTLING", "thermal") ? 0x48 : 0x1;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0x84;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const char* const text = std::getenv("FAKE_PROCESSES");
  const unsigned there = text == nullptr ? 2 : static_cast<unsigned>(std::atoi(text));
  const unsigned room = *count;
  *count = there;
  if (room < there) return kInsufficientSize;
  for (unsigned i = 0; i < there; ++i) processes[i] = {100 + i, i == 1 ? ~0ULL : 1ULL << 20, 0, 0};
  return 0;
}
}
