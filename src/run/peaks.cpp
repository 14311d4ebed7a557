// A session without a prepare.
#include "run/peaks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/error.h"
#include "metrics/verdict_rules.h"
#include "run/launch_settings.h"
#include "run/launcher.h"
#include "run/session.h"

namespace transformeter {
namespace {

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
  throw Error(ErrorKind::kEnvironment, fmt::format("the worker '{}' gave no answer: {}", options.worker.string(),
                                                   session.fault() ? session.fault()->reason : "it is silent"));
}

bool is_missing(const PeakRecord* known, MeasureAgain again) {
  if (known == nullptr || again == MeasureAgain::kAll) return true;
  return again == MeasureAgain::kDisturbed && is_disturbed(known->peak);
}

bool is_worse(const Peak& peak, const Peak& known) {
  return is_disturbed(peak) && *peak.foreign_load > known.foreign_load.value_or(0);
}

}  // namespace

bool is_disturbed(const Peak& peak) {
  return peak.foreign_load.value_or(0) > kMaxForeignLoad;
}

void measure_missing_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options,
                           const WantedPeaks& wanted) {
  const std::vector<PeakRecord> known = store.list();
  std::vector<std::string> missing;
  for (const std::string& quantity : wanted.quantities) {
    if (is_missing(find_peak(known, wanted.place, quantity), wanted.again)) missing.push_back(quantity);
  }
  if (missing.empty()) return;
  context.log(LogLevel::kInfo,
              fmt::format("measuring peaks with {} threads: {}", wanted.place.threads, fmt::join(missing, ", ")));
  measure_peaks(context, options, wanted.place, missing, [&](const PeakRecord& record) {
    const PeakRecord* old = find_peak(known, wanted.place, record.peak.quantity);
    const bool is_kept = wanted.again == MeasureAgain::kDisturbed && old != nullptr && is_worse(record.peak, old->peak);
    if (!is_kept) store.keep(record);
  });
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
  const Json launch{{"threads", place.threads}, {"allocator", "glibc_raised"}, {"huge_pages", "preferred"}};
  with_threads.launch = launch_of(launch, read_launch_host());
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
