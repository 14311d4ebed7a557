// A session without a prepare.
#include "run/peaks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "machine/quiet.h"
#include "metrics/disturbed_peak.h"
#include "metrics/verdict_rules.h"
#include "run/launch_settings.h"
#include "run/launcher.h"
#include "run/session.h"

namespace transformeter {
namespace {

// Of measuring one peak, disturbed measurements included.
constexpr int kMaxRounds = 3;

SessionOptions session_options(const PeakWorkerOptions& options) {
  SessionOptions session;
  session.worker = options.worker;
  session.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.timeout);
  session.interrupt = options.interrupt;
  return session;
}

// The answer, or what kept the worker from it.
template <typename T>
T answered(std::optional<T> answer, const Session& session, const PeakWorkerOptions& options) {
  if (answer) return *std::move(answer);
  if (session.fault() && session.fault()->status == Status::kInterrupted) {
    throw Error(ErrorKind::kInterrupted, "stopped by the user");
  }
  throw Error(ErrorKind::kEnvironment, fmt::format("no answer from worker '{}': {}", options.worker.string(),
                                                   session.fault() ? session.fault()->reason : "it did not respond"));
}

// Of `quantities`, those that the store lacks or that were disturbed when they were measured.
std::vector<std::string> due_of(PeakStore& store, const PeakPlace& place, const std::vector<std::string>& quantities) {
  const std::vector<PeakRecord> known = store.list();
  std::vector<std::string> due;
  for (const std::string& quantity : quantities) {
    const PeakRecord* record = find_peak(known, place, quantity);
    if (record == nullptr || is_disturbed(record->peak)) due.push_back(quantity);
  }
  return due;
}

}  // namespace

bool is_disturbed(const Peak& peak) {
  return is_disturbed_peak(peak.foreign_load);
}

PeakWorkerOptions peak_worker_options(const Context& context, std::filesystem::path worker, Seconds timeout,
                                      const std::atomic<bool>* interrupt) {
  PeakWorkerOptions options{std::move(worker), timeout, interrupt, {}};
  QuietWait wait;
  wait.most_busy = kMaxForeignLoad;
  wait.interrupt = interrupt;
  options.wait_until_quiet = [&clock = context.clock, wait]() mutable {
    const Clock::TimePoint begin = clock.now();
    const bool is_quiet = wait_until_quiet(clock, wait);
    wait.longest -= clock.now() - begin;
    return is_quiet;
  };
  return options;
}

void measure_missing_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options,
                           const WantedPeaks& wanted) {
  std::vector<std::string> due = wanted.again ? wanted.quantities : due_of(store, wanted.place, wanted.quantities);
  for (int round = 1; !due.empty(); ++round) {
    context.log(LogLevel::kInfo,
                fmt::format("measuring peaks with {}: {}",
                            counted(static_cast<std::size_t>(wanted.place.threads), "thread"), fmt::join(due, ", ")));
    measure_peaks(context, options, wanted.place, due, [&](const PeakRecord& record) { store.keep(record); });
    due = due_of(store, wanted.place, due);
    if (due.empty() || round == kMaxRounds || !options.wait_until_quiet) break;
    context.log(LogLevel::kInfo, fmt::format("other processes were busy meanwhile; waiting for a quiet moment to "
                                             "measure again: {}",
                                             fmt::join(due, ", ")));
    if (!options.wait_until_quiet()) break;
  }
  if (!due.empty()) {
    context.log(
        LogLevel::kWarning,
        fmt::format("these peaks were measured while other processes were busy, and are too low: {}; stop other "
                    "work, then run `transformeter peaks` again",
                    fmt::join(due, ", ")));
  }
}

Described described_worker(const Context& context, const PeakWorkerOptions& options) {
  Session session(context, session_options(options));
  answered(session.hello(), session, options);
  Described described = answered(session.describe(), session, options);
  session.teardown();
  return described;
}

void measure_peaks(const Context& context, const PeakWorkerOptions& options, const PeakPlace& place,
                   const std::vector<std::string>& quantities, const std::function<void(PeakRecord)>& on_measured) {
  SessionOptions with_threads = session_options(options);
  // Products that give their outputs' memory back each time would be held against page faults. A peak is the best that
  // the machine does, so with huge pages where it has them.
  Case fastest;
  fastest.threads = place.threads;
  fastest.allocator = "glibc_raised";
  fastest.huge_pages = "preferred";
  with_threads.launch = launch_of(fastest, read_launch_host());
  Session session(context, with_threads);
  answered(session.hello(), session, options);
  for (const std::string& quantity : quantities) {
    const MeasurePeakRequest request{quantity, place.device, {static_cast<int>(::getpid()), session.worker_pid()}};
    PeakMeasured measured = answered(session.measure_peak(request), session, options);
    on_measured({place, format_utc(context.clock.wall_s()), std::move(measured.peak)});
  }
  session.teardown();
}

PeakPlace peak_place(const Json& environment, const Json& build, const std::string& device, int threads) {
  return {environment.value("fingerprint", std::string()), peak_runtime(build, device), device, threads};
}

}  // namespace transformeter
