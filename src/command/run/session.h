// The command's side of a session with one worker: typed requests with a timeout, a memory watcher and an explanation
// when the worker fails. A worker's failure is a value here, never an exception.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "run/launcher.h"
#include "schema/messages.h"

namespace transformeter {

struct SessionOptions {
  std::filesystem::path worker;
  Launch launch;
  std::chrono::milliseconds timeout{120'000};      // longest time between two messages of the worker
  std::optional<std::int64_t> memory_limit_bytes;  // of the worker's anonymous memory; nothing: not watched
  const std::atomic<bool>* interrupt = nullptr;    // set when the user asks to stop; null: never
};

/// The verbs in the order of messages.h. After a failure each returns nothing, fault() says why, and the worker has
/// been stopped. Sleeps while waiting: at most one wake-up per second while measuring, two otherwise. Not thread-safe.
class Session {
 public:
  /// Starts the worker. Throws Error(kEnvironment) when it cannot be started at all.
  Session(const Context& context, const SessionOptions& options);

  std::optional<Hello> hello();
  std::optional<Described> describe();
  std::optional<Prepared> prepare(const PrepareRequest& request);
  /// Before any prepare; as often as there are cases.
  std::optional<Forecasted> forecast(const ForecastRequest& request);
  std::optional<Warmed> warm(const WarmRequest& request);
  std::optional<Measured> measure(const MeasureRequest& request,
                                  const std::function<void(const std::vector<Series>&)>& on_block);
  std::optional<Evaluated> evaluate(const EvaluateRequest& request);
  /// After warm; as often as wanted.
  std::optional<Profiled> profile(const ProfileRequest& request,
                                  const std::function<void(const Profiling&)>& on_progress);
  /// After a prepare without data; as often as there are inputs.
  std::optional<Predicted> predict(const PredictRequest& request);
  /// After a prepare of the scenario finetune, once.
  std::optional<FineTuned> finetune(const FineTuneRequest& request, const std::function<void(const Json&)>& on_event);
  /// Before any prepare; as often as there are quantities.
  std::optional<PeakMeasured> measure_peak(const MeasurePeakRequest& request);
  /// True when the worker ended with exit code 0.
  bool teardown();

  /// Status and reason: timeout, out_of_memory, crashed, failed, interrupted, or what the worker said.
  const std::optional<Failed>& fault() const { return fault_; }
  std::int64_t spawned_at_ns() const { return worker_.spawned_at_ns(); }
  int worker_pid() const { return worker_.process().pid(); }

 private:
  /// The answer `expected`; messages `also` on the way go to `on_message`, which returns false to give up.
  std::optional<Message> ask(const Message& request, const char* expected, const char* also = nullptr,
                             const std::function<bool(const Message&)>& on_message = {});
  std::optional<Message> wait_for(const char* expected, const char* also = nullptr);
  Channel::Outcome receive(Message& message);
  bool check_worker(Clock::TimePoint silent_since);
  bool is_over_memory_limit();
  void fail(Status status, std::string reason);
  void explain_death();
  std::string with_output(std::string reason) const;
  template <typename T>
  std::optional<T> unpacked(const std::optional<Message>& message);

  const Context& context_;
  SessionOptions options_;
  std::optional<long long> oom_kills_before_;
  mutable WorkerProcess worker_;
  std::string verb_ = verb::kHello;  // what we are waiting for, for reasons
  std::optional<Failed> fault_;
};

}  // namespace transformeter
