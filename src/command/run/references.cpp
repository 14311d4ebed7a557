// A session without warm-up and measuring.
#include "run/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "machine/cpu_list.h"
#include "run/cores.h"
#include "run/launch_settings.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/reference_settings.h"
#include "run/session.h"
#include "stats/divergence.h"

namespace transformeter {
namespace {

std::optional<Outputs> outputs_of(Session& session, OutputRequest outputs) {
  EvaluateRequest request;
  request.score = false;
  request.outputs = std::move(outputs);
  request.outputs->plain = true;
  auto evaluated = session.evaluate(request);
  return evaluated ? std::move(evaluated->outputs) : std::nullopt;
}

// The same inputs twice where there is padding: as they are to be answered, and with padding attended to.
std::optional<ReferenceOutputs> evaluate(Session& session, const Json& effective) {
  std::optional<Outputs> outputs = outputs_of(session, {});
  if (!outputs) return std::nullopt;
  std::optional<Outputs> unmasked;
  if (effective.value("attention_mask", "") != "not_needed") {
    OutputRequest wrong;
    wrong.inputs = outputs->inputs;
    wrong.attention_mask = false;
    unmasked = outputs_of(session, std::move(wrong));
  }
  const NegativeControls controls = negative_controls(*outputs, unmasked);
  return ReferenceOutputs{std::move(*outputs), controls};
}

// Throws Error when the worker cannot be started or the machine has no memory left for it.
Reference ask_for_reference(const Context& context, const Json& settings, const ReferenceOptions& options) {
  SessionOptions session_options;
  session_options.worker = options.worker;
  const Case asked = case_from(settings);
  session_options.launch = launch_of(asked, LaunchHost{});
  session_options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.worker_timeout);
  session_options.memory_limit_bytes = worker_memory_limit(asked);
  session_options.interrupt = options.interrupt;
  Session session(context, session_options);
  Reference reference;
  if (session.hello()) {
    const auto prepared = session.prepare(prepare_request(settings, session, session_options.memory_limit_bytes));
    if (prepared) reference.computed = evaluate(session, prepared->effective);
  }
  session.teardown();
  // A fault of the pass without a mask costs its control alone.
  const bool was_stopped = session.fault() && session.fault()->status == Status::kInterrupted;
  if (!session.fault() || (reference.computed && !was_stopped)) return reference;
  reference.computed.reset();
  reference.interrupted = was_stopped;
  reference.failure = fmt::format("{}: {}", name_of(session.fault()->status), session.fault()->reason);
  return reference;
}

bool has_spread(const Outputs& outputs) {
  return spread_between_rows(outputs.values, static_cast<std::size_t>(outputs.width)).has_value();
}

}  // namespace

References::References(const Context& context, const ReferenceOptions& options)
    : context_(context),
      options_(options),
      // The build's description does not change with every change of a worker of the user's own.
      worker_({{"build", options.worker_build}, {"program", sha256_file(options.worker)}}),
      cores_(available_cores(allowed_cpus())),
      cache_(context.cache_directory.empty() ? context.cache_directory : context.cache_directory / "references",
             context.log) {}

const std::string& References::key_of(const PlannedCase& planned) {
  const auto found = keys_.find(planned.record.id);
  if (found != keys_.end()) return found->second;
  const Json settings = reference_settings(planned.record.requested, cores_);
  return keys_[planned.record.id] = reference_key(settings, planned.workload, worker_);
}

Seconds References::time_to_make(const std::vector<const PlannedCase*>& cases) {
  std::set<std::string> missing;
  for (const PlannedCase* planned : cases) {
    const std::string& key = key_of(*planned);
    if (references_.count(key) == 0) missing.insert(key);
  }
  return largest_cost_ * static_cast<double>(missing.size());
}

Reference References::make(const PlannedCase& planned) const {
  Reference reference;
  try {
    reference = ask_for_reference(context_, reference_settings(planned.record.requested, cores_), options_);
  } catch (const Error& error) {
    reference.failure = error.what();
  }
  if (reference.failure.empty() && (!reference.computed || !has_spread(reference.computed->outputs))) {
    reference.computed.reset();
    reference.failure = "the reference outputs are missing, not finite, or the same for every input";
  }
  return reference;
}

const Reference& References::of(const PlannedCase& planned, const std::function<void()>& on_making) {
  const std::string& key = key_of(planned);
  const auto found = references_.find(key);
  if (found != references_.end()) return found->second;
  Reference reference;
  reference.computed = cache_.load(key);
  if (!reference.computed) {
    on_making();
    const auto start = context_.clock.now();
    reference = make(planned);
    largest_cost_ = std::max(largest_cost_, Seconds(context_.clock.now() - start));
    if (reference.computed) cache_.store(key, *reference.computed);
  }
  reference.key = key;
  return references_[key] = std::move(reference);
}

}  // namespace transformeter
