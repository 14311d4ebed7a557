// A management library with GPUs of known state: what a test opens in place of libnvidia-ml.so.1. Two processes compute
// on a GPU, or as many as FAKE_PROCESSES says, and with FAKE_OWN=1 the one that asks; FAKE_NVML=old leaves new
// functions' answers out. With FAKE_ENERGY_PERIOD_US the GPU takes 300 W and counts so often; with FAKE_VIOLATION
// "power" or "thermal" it is held back half of the time.
#include <unistd.h>

#include <chrono>
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
struct Violation {
  unsigned long long reference_us, violation_ns;
};

bool is(const char* name, const char* value) {
  const char* const text = std::getenv(name);
  return text != nullptr && std::strcmp(text, value) == 0;
}

unsigned long long now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(std::chrono::nanoseconds(now).count());
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
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = nullptr;
  return std::strncmp(id, "0000:3b", 7) == 0 ? 0 : kNotFound;
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
  const char* const period = std::getenv("FAKE_ENERGY_PERIOD_US");
  if (period == nullptr) return 0;
  const unsigned long long period_us = std::strtoull(period, nullptr, 10);
  *millijoules += now_ns() / 1000 / period_us * (300 * period_us) / 1000;
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
int nvmlDeviceGetViolationStatus(void*, int policy, Violation* time) {
  if (is("FAKE_NVML", "old")) return kNotSupported;
  const bool is_held = is("FAKE_VIOLATION", policy == 0 ? "power" : "thermal");
  *time = {now_ns() / 1000, is_held ? now_ns() / 2 : 1'500'000'000};
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const char* const text = std::getenv("FAKE_PROCESSES");
  const unsigned others = text == nullptr ? 2 : static_cast<unsigned>(std::atoi(text));
  const unsigned own = is("FAKE_OWN", "1") ? 1 : 0;
  const unsigned room = *count;
  *count = others + own;
  if (room < *count) return kInsufficientSize;
  for (unsigned i = 0; i < others; ++i) processes[i] = {100 + i, i == 1 ? ~0ULL : 1ULL << 20, 0, 0};
  if (own == 1) processes[others] = {static_cast<unsigned>(::getpid()), 3ULL << 20, 0, 0};
  return 0;
}
}
