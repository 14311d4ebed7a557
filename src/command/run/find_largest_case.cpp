// The forecast says where to begin; workers say what is true.
#include "run/find_largest_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "base/error.h"
#include "metrics/scalar_metrics.h"
#include "run/forecast_cases.h"
#include "run/largest_fit.h"
#include "run/launcher.h"
#include "run/single_case_session.h"
#include "schema/settings.h"
#include "schema/task.h"
#include "tasks/image_inputs.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

bool is_of_batches(const LargestCaseOptions& asked) {
  return asked.axis == "batch_size";
}

class Trials {
 public:
  Trials(const Context& context, const PreparedRun& run, const RunnerOptions& options, const LargestCaseOptions& asked,
         std::optional<std::int64_t> limit)
      : context_(context),
        run_(run),
        options_(options),
        asked_(asked),
        base_(run.cases.front().record.requested),
        limit_(limit) {
    if (!base_.contains(asked.axis) || !base_.at(asked.axis).is_number_integer()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the case has no numeric {}; prompt_length needs --scenario generate, batch_size and "
                              "sequence_length any other scenario",
                              asked.axis));
    }
    // Of natural lengths a batch holds no more than the texts there are, however large it is; of images and captions
    // no more than the pairs, even where captions have a fixed length.
    const Case the_case = case_from(base_);
    const bool has_pairs_of_data = has_captions(the_case.task) && the_case.has_data_file();
    if (is_of_batches(asked) && (has_pairs_of_data || !the_case.has_one_batch())) {
      throw Error(ErrorKind::kBadInput,
                  reads_images(the_case.task)    ? "a batch holds no more images than the data; leave --data out"
                  : reads_audio(the_case.task)   ? "a batch holds no more sounds than the data; leave --data out"
                  : the_case.draws_row_lengths() ? "a batch holds no more than --limit texts; leave "
                                                   "--length-distribution out"
                                                 : "the largest batch depends on the length; give --sequence-length N");
    }
  }

  /// The smallest value that the setting, the model and its tokenizer take, as far as a forecast tells. Throws
  /// Error(kBadInput) where the case cannot run with any of the first few.
  std::int64_t smallest() {
    constexpr std::int64_t kMostSmall = 16;
    const std::int64_t least = std::max<std::int64_t>(1, setting_term(asked_.axis).minimum);
    std::vector<std::int64_t> values;
    for (std::int64_t value = least; value < least + kMostSmall; ++value) {
      if (!planned(value).record.status) values.push_back(value);
    }
    if (values.empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("the case cannot run: {}", planned(least).record.status_reason));
    }
    if (is_of_batches(asked_)) return values.front();
    const std::vector<CaseForecast> forecasts = forecasts_of(values);
    const auto known =
        std::find_if(forecasts.begin(), forecasts.end(), [](const CaseForecast& one) { return one.peak.has_value(); });
    return known == forecasts.end() ? values.front() : values[static_cast<std::size_t>(known - forecasts.begin())];
  }

  PlannedCase planned(std::int64_t value) const {
    Json requested = base_;
    requested[asked_.axis] = value;
    return planned_point(std::move(requested), run_.expansion, *run_.describer);
  }

  TriedValue look_at(std::int64_t value) {
    const PlannedCase point = planned(value);
    TriedValue tried;
    tried.value = value;
    if (point.record.status) {
      tried.status = *point.record.status;
      tried.reason = point.record.status_reason;
    } else {
      try_out(point, tried);
    }
    tried.fit = fit_of(tried.status);
    return tried;
  }

  /// Near the largest value whose forecast is below the limit; from `smallest` to `largest`.
  std::int64_t first_guess(std::int64_t smallest, std::int64_t largest) {
    constexpr std::int64_t kLargestBatchForecast = 64;  // larger ones are drawn from the last two: texts take time
    const std::int64_t top = is_of_batches(asked_) ? std::min(largest, kLargestBatchForecast) : largest;
    std::vector<std::int64_t> values;
    for (std::int64_t value = smallest; value < top; value *= 2) values.push_back(value);
    values.push_back(top);
    const std::vector<CaseForecast> forecasts = forecasts_of(values);
    const auto room = [&](std::size_t i) -> std::optional<double> {
      if (!forecasts[i].peak || !forecasts[i].limit) return std::nullopt;
      return static_cast<double>(*forecasts[i].limit) - CaseForecast::kOwnBytes - *forecasts[i].peak;
    };
    std::size_t last = 0;
    while (last + 1 < values.size() && room(last + 1).value_or(-1) >= 0) ++last;
    if (!room(last)) return std::clamp(base_.at(asked_.axis).get<std::int64_t>(), smallest, largest);
    const std::size_t next = std::min(last + 1, values.size() - 1);
    const std::size_t from = next == last && last > 0 ? last - 1 : last;
    const std::size_t to = next == last ? last : next;
    if (from == to || !room(from) || !room(to) || *room(from) <= *room(to)) return values[last];
    const double slope = (*room(from) - *room(to)) / static_cast<double>(values[to] - values[from]);
    const double guess = static_cast<double>(values[from]) + *room(from) / slope;
    return std::clamp(static_cast<std::int64_t>(guess), smallest, largest);
  }

 private:
  static Fit fit_of(Status status) {
    switch (status) {
      case Status::kOk:
        return Fit::kFits;
      case Status::kOutOfMemory:
      case Status::kUnsupportedShape:
        return Fit::kTooLarge;
      default:
        return Fit::kUnclear;
    }
  }

  // Each made once, those that are missing by one worker.
  std::vector<CaseForecast> forecasts_of(const std::vector<std::int64_t>& values) {
    PreparedRun run;
    run.worker = run_.worker;
    run.gives_forecasts = run_.gives_forecasts;
    std::vector<std::int64_t> missing;
    for (const std::int64_t value : values) {
      if (forecasts_.count(value) != 0) continue;
      missing.push_back(value);
      run.cases.push_back(planned(value));
    }
    if (!missing.empty()) {
      const std::vector<CaseForecast> made = forecast_cases(context_, run, options_);
      for (std::size_t i = 0; i < missing.size(); ++i) forecasts_[missing[i]] = made[i];
    }
    std::vector<CaseForecast> forecasts;
    for (const std::int64_t value : values) forecasts.push_back(forecasts_.at(value));
    return forecasts;
  }

  void try_out(const PlannedCase& point, TriedValue& tried) try {
    tried.forecast = forecasts_of({tried.value}).front();
    measure(point, tried);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kEnvironment) throw;
    tried.status = status_of(error.kind());
    tried.reason = error.what();
  }

  void measure(const PlannedCase& point, TriedValue& tried) const {
    SingleCase single{.worker = run_.worker, .settings = point.record.requested};
    single.worker_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options_.worker_timeout);
    single.interrupt = options_.interrupt;
    if (limit_) single.settings["memory_limit"] = *limit_;
    single.launch_host = run_.launch_host;
    SingleCaseSession sole(context_, single);
    sole.prepare();
    sole.answered(sole.session().warm({1}));
    MeasureRequest request;
    request.exactly = 2;  // the second lives beside the first one's output
    const Measured measured = sole.answered(sole.session().measure(request, [](const std::vector<Series>&) {}));
    ReplicateRecord replicate;
    replicate.series = measured.series;
    tried.peak_allocated = scalar_of(replicate, "peak_allocated");
    tried.peak_rss = scalar_of(replicate, "peak_rss");
    sole.end();
  }

  const Context& context_;
  const PreparedRun& run_;
  const RunnerOptions& options_;
  const LargestCaseOptions& asked_;
  Json base_;
  std::optional<std::int64_t> limit_;
  std::map<std::int64_t, CaseForecast> forecasts_;  // by value
};

// Of images and sounds as many as a cycle may hold.
std::int64_t largest_batch(const PreparedRun& run) {
  const Case& asked = run.cases.front().asked;
  if (reads_audio(asked.task) && asked.is_forward()) {
    return std::min(kLargestBatch, most_sounds(run.describer->sound_samples(asked)));
  }
  const std::optional<ImageShape>& image = run.describer->model(asked.model).config.image;
  const bool is_of_images = reads_images(asked.task) && asked.is_forward() && image;
  return is_of_images ? std::min(kLargestBatch, most_images(*image)) : kLargestBatch;
}

std::int64_t largest_of(const PreparedRun& run, const LargestCaseOptions& asked, std::int64_t smallest) {
  const PlannedCase& planned = run.cases.front();
  const std::int64_t most = is_of_batches(asked) ? largest_batch(run) : setting_term(asked.axis).maximum;
  if (asked.largest && (*asked.largest < smallest || *asked.largest > most)) {
    throw bad_value("largest", std::to_string(*asked.largest),
                    fmt::format("a whole number from {} to {}", smallest, most));
  }
  if (is_of_batches(asked)) return asked.largest.value_or(most);
  std::int64_t positions = run.describer->model(planned.asked.model).config.max_length;
  if (planned.asked.is_generate()) positions -= planned.asked.new_tokens;
  positions = std::min(positions, most);  // a model that states none has very many
  return asked.largest ? std::min(*asked.largest, positions) : positions;
}

LargestAllowed bound_of(const LargestCase& answer, const LargestCaseOptions& asked) {
  if (answer.largest == asked.largest) return LargestAllowed::kBound;
  if (is_of_batches(asked)) return answer.largest < kLargestBatch ? LargestAllowed::kInputs : LargestAllowed::kBound;
  return answer.largest < setting_term(asked.axis).maximum ? LargestAllowed::kPositions : LargestAllowed::kBound;
}

}  // namespace

LargestCase find_largest_case(const Context& context, const PreparedRun& run, const RunnerOptions& options,
                              const LargestCaseOptions& asked) {
  // One for all: what is available changes with each trial. A GPU's memory has none.
  const Case& first_case = run.cases.front().asked;
  const std::optional<std::int64_t> limit =
      first_case.device == "cpu" ? worker_memory_limit(first_case) : std::optional<std::int64_t>();
  Trials trials(context, run, options, asked, limit);
  LargestCase answer;
  answer.axis = asked.axis;
  const std::int64_t smallest = trials.smallest();
  answer.largest = largest_of(run, asked, smallest);
  answer.bound = bound_of(answer, asked);
  answer.limit = limit;
  answer.is_limit_asked = limit && limit == first_case.memory_limit;
  const std::int64_t first = trials.first_guess(smallest, answer.largest);
  answer.found = find_largest_fit({smallest, answer.largest, first}, [&](std::int64_t value) {
    answer.trials.push_back(trials.look_at(value));
    if (asked.on_trial) asked.on_trial(answer.trials.back());
    return answer.trials.back().fit;
  });
  answer.requested = trials.planned(answer.found.fits.value_or(first)).record.requested;
  return answer;
}

}  // namespace transformeter
