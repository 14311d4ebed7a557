// Each line says a thing once, for all the cases it holds for.
#include "report/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "analysis/case_label.h"
#include "base/text.h"
#include "metrics/case_settings.h"
#include "schema/setting_label.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// A store of a later version may hold names that are not declared here.
VerdictTerm term_of(std::span<const VerdictTerm> terms, const std::string& name) {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const VerdictTerm& term) { return term.name == name; });
  return found == terms.end() ? VerdictTerm{} : *found;
}

std::vector<FindingGroup> groups_of(const AnalyzedRun& run, std::vector<Finding> Verdict::*findings,
                                    std::span<const VerdictTerm> terms) {
  std::vector<FindingGroup> groups;
  for (const AnalyzedCase& one : run.cases) {
    for (const Finding& finding : one.analysis.verdict.*findings) {
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == finding.name; });
      if (group == groups.end()) {
        const VerdictTerm term = term_of(terms, finding.name);
        groups.push_back({finding.name, std::string(term.meaning), std::string(term.remedy), {}, {}, {}});
        group = groups.end() - 1;
      }
      group->cases.push_back(&one);
      group->labels.push_back(one.label);
      group->details.push_back(finding.detail);
    }
  }
  return groups;
}

// The value at a path of keys as text; empty where something on the way is missing.
std::string text_at(const Json& json, std::initializer_list<const char*> path) {
  const Json* at = &json;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return "";
    at = &at->at(key);
  }
  if (at->is_null()) return "";
  return at->is_string() ? at->get<std::string>() : at->dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_axis(const AnalyzedRun& run, std::string_view setting) {
  return std::find(run.axes.begin(), run.axes.end(), setting) != run.axes.end();
}

// Twelve digits tell files apart; the JSON has all.
std::string hash_text(const std::string& sha256) {
  return sha256.empty() ? "" : fmt::format(", SHA-256 {}…", sha256.substr(0, 12));
}

std::string threads_text(const AnalyzedRun& run) {
  std::set<std::string> counts;
  for (const AnalyzedCase& one : run.cases) counts.insert(text_at(one.record->effective, {"threads"}));
  counts.erase("");
  if (counts.empty()) return "";
  return fmt::format("{} thread{}", fmt::join(counts, " or "), counts == std::set<std::string>{"1"} ? "" : "s");
}

// As the model sees them, whatever the files' sizes; empty for texts.
std::string image_size_text(const CaseRecord& one) {
  const auto height = number_of_path(one.effective, {"data", "image", "height"});
  const auto width = number_of_path(one.effective, {"data", "image", "width"});
  return height && width ? fmt::format("{:.0f} x {:.0f} pixels", *height, *width) : "";
}

// Synthetic texts are made, not read: what they were made by takes the place of a hash. Empty for a case without data.
std::string data_line(const CaseRecord& one) {
  const std::string name = text_at(one.requested, {"data"});
  if (name == "synthetic") {
    if (reads_images(one.requested)) {
      const std::string size = image_size_text(one);
      return fmt::format("data: synthetic images{}{}", size.empty() ? "" : " of " + size,
                         has_captions(one.requested) ? ", with captions" : "");
    }
    if (reads_audio(one.requested)) {
      const auto seconds = number_of_path(one.requested, {"audio_seconds"});
      return seconds ? fmt::format("data: synthetic sounds of {} s", *seconds) : "data: synthetic sounds";
    }
    const std::string lengths = text_at(one.requested, {"length_distribution"});
    return lengths.empty() ? "data: synthetic texts" : fmt::format("data: synthetic texts, lengths {}", lengths);
  }
  const std::string hash = text_at(one.effective, {"workload", "data", "sha256"});
  if (name.empty() || hash.empty()) return "";
  const std::string size = image_size_text(one);
  return fmt::format("data: {}{}{}", data_path_text(name), hash_text(hash),
                     size.empty() ? "" : fmt::format(", as {}", size));
}

// Texts in a cycle that has a row for each, images or sounds; nothing for other cases, and for training, which has no
// cycle. cycle_examples counts whole batches, which exceeds the texts where the last batch is not full: it is used only
// for a cycle that was cut.
std::optional<std::int64_t> cycle_text_count(const CaseRecord& one) {
  if (!is_forward(one.requested) || has_filled_rows(one.requested) || !one.effective.is_object()) return std::nullopt;
  const auto measured = whole_number<std::int64_t>(one.effective.value("cycle_examples", Json()));
  const auto full = whole_number<std::int64_t>(one.effective.value("cycle_examples_full", Json()));
  if (measured && full && *measured < *full) return measured;
  return whole_number<std::int64_t>(one.effective.value(Json::json_pointer("/data/examples"), Json()));
}

// Which matrices adapters change: a rank alone does not say.
std::set<std::string> adapter_lines(const AnalyzedRun& run) {
  std::set<std::string> lines;
  for (const AnalyzedCase& one : run.cases) {
    const Json& effective = one.record->effective;
    if (!effective.is_object() || !effective.contains("lora")) continue;
    const Json& lora = effective.at("lora");
    const auto whole = lora.at("modules_to_save").get<std::vector<std::string>>();
    lines.insert(fmt::format("LoRA{}: rank {}, alpha {:g}, on {} ({} matrices){}",
                             is_axis(run, "model") ? " of " + setting_value_text(*one.record, "model") : "",
                             lora.at("rank").get<std::int64_t>(), lora.at("alpha").get<double>(),
                             fmt::join(lora.at("targets").get<std::vector<std::string>>(), ", "),
                             lora.at("matrices").get<std::int64_t>(),
                             whole.empty() ? "" : fmt::format("; trained whole: {}", fmt::join(whole, ", "))));
  }
  return lines;
}

}  // namespace

std::vector<FindingRow> finding_rows(const FindingGroup& group, std::size_t most_rows) {
  std::vector<FindingRow> rows;
  FindingRow others;
  for (std::size_t i = 0; i < group.labels.size(); ++i) {
    const std::string& detail = group.details[i];
    auto row = std::find_if(rows.begin(), rows.end(), [&](const FindingRow& r) { return r.details.front() == detail; });
    if (row == rows.end() && rows.size() >= most_rows) {
      others.details.push_back(fmt::format("{}: {}", group.labels[i], detail));
      others.labels.push_back(group.labels[i]);
      continue;
    }
    if (row == rows.end()) row = rows.insert(rows.end(), {{detail}, {}});
    row->labels.push_back(group.labels[i]);
  }
  if (!others.labels.empty()) rows.push_back(std::move(others));
  return rows;
}

std::vector<FindingGroup> reason_groups(const AnalyzedRun& run) {
  return groups_of(run, &Verdict::reasons, verdict_reasons());
}

std::string meaning_of_reason(const std::string& name) {
  return std::string(term_of(verdict_reasons(), name).meaning);
}

std::vector<std::string> remedy_lines(const AnalyzedRun& run) {
  std::vector<std::string> lines;
  for (const FindingGroup& group : reason_groups(run)) {
    if (!group.remedy.empty()) lines.push_back(fmt::format("to fix {}: {}", group.name, group.remedy));
  }
  return lines;
}

std::string_view no_reason_line(const AnalyzedRun& run) {
  const bool any = std::any_of(run.cases.begin(), run.cases.end(), [](const AnalyzedCase& one) { return one.is_ok(); });
  return any ? "All measured cases are valid." : "No case was measured.";
}

std::vector<FindingGroup> note_groups(const AnalyzedRun& run) {
  std::vector<FindingGroup> groups = groups_of(run, &Verdict::notes, verdict_notes());
  std::erase_if(groups, [](const FindingGroup& group) { return group.name == "seeded_weights"; });
  return groups;
}

std::vector<std::string> unfinished_lines(const AnalyzedRun& run) {
  std::vector<std::string> lines;
  for (const AnalyzedCase& one : run.cases) {
    if (one.is_ok() || (!one.record->status && one.record->status_reason.empty())) continue;
    const std::string& reason = one.record->status_reason;
    lines.push_back(fmt::format("{}: {}: {}", one.label, status_word(*one.record),
                                reason.empty() ? "no reason was stored" : reason));
  }
  if (std::string pending = pending_text(pending_replicates(*run.run)); !pending.empty())
    lines.push_back(std::move(pending));
  return lines;
}

std::vector<std::string> weights_lines(const AnalyzedRun& run) {
  std::set<std::string> lines;
  const bool has_models = is_axis(run, "model");
  for (const AnalyzedCase& one : run.cases) {
    const auto source = weights_source(*one.record);
    if (!source) continue;
    if (source->starts_with("seeded")) {
      lines.insert("weights: seeded random; the speed is real, the answers are not, and accuracy is not shown");
    } else {
      const std::string of = has_models ? " of " + setting_value_text(*one.record, "model") : "";
      lines.insert(fmt::format("weights{}: {}{}", of, *source,
                               hash_text(text_at(one.record->effective, {"workload", "model", "sha256", "weights"}))));
    }
  }
  if (lines.empty()) lines.insert("weights: unknown, no worker has reported them");
  return {lines.begin(), lines.end()};
}

std::vector<std::string> workload_lines(const AnalyzedRun& run) {
  std::vector<std::string> lines;
  if (!run.cases.empty() && !is_axis(run, "task")) {
    const std::string task = text_at(run.cases[0].record->requested, {"task"});
    if (!task.empty()) lines.push_back("task: " + task);
  }
  std::map<std::string, std::set<std::int64_t>> counts;  // inputs measured, by line
  std::map<std::string, std::string_view> kinds;         // of those that are no texts
  std::set<std::string> fixed;                           // lines of which a counted case has rows of a fixed length
  for (const AnalyzedCase& one : run.cases) {
    const std::string line = data_line(*one.record);
    if (line.empty()) continue;
    std::set<std::int64_t>& measured = counts[line];
    if (const auto count = cycle_text_count(*one.record)) {
      measured.insert(*count);
      if (number_of_path(one.record->requested, {"sequence_length"})) fixed.insert(line);
    }
    if (reads_images(one.record->requested)) kinds[line] = "image";
    if (reads_audio(one.record->requested)) kinds[line] = "sound";
  }
  for (const std::string& line : adapter_lines(run)) lines.push_back(line);
  const bool sums_losses = std::any_of(run.cases.begin(), run.cases.end(), [](const AnalyzedCase& one) {
    return text_of_path(one.record->effective, {"loss"}) == "ctc_sum";
  });
  if (sums_losses) {
    lines.emplace_back(
        "loss: speech_recognition sums over the sounds of a step; compare only at the same batch size and "
        "accumulation");
  }
  const bool compares_pairs = std::any_of(run.cases.begin(), run.cases.end(), [](const AnalyzedCase& one) {
    return is_train(one.record->requested) && has_captions(one.record->requested);
  });
  if (compares_pairs) {
    lines.emplace_back(
        "loss: contrastive_image_text compares the pairs of one batch; compare only at the same batch size");
  }
  for (const auto& [line, measured] : counts) {
    lines.push_back(line);
    if (measured.empty()) continue;
    const bool is_one = measured == std::set<std::int64_t>{1};
    const auto kind = kinds.find(line);
    const bool are_texts = kind == kinds.end();
    lines.back() += fmt::format("; {}{} {}{}", are_texts && !fixed.contains(line) ? "natural lengths: " : "",
                                fmt::join(measured, " or "), are_texts ? "text" : kind->second, is_one ? "" : "s");
  }
  return lines;
}

// Of trials that were made for these cases: "; 2 of 5 trials unsteady ...".
std::string unsteady_trials(const AnalyzedRun& run) {
  std::size_t unsteady = 0;
  std::size_t made = 0;
  for (const AnalyzedCase& one : run.cases) {
    if (is_train(one.record->requested)) continue;  // as in products_line
    const Json trials = one.record->effective.value("linear_trials", Json::array());
    for (const Json& trial : trials) {
      if (flag_of_path(trial, {"kept"}).value_or(false)) continue;
      ++made;
      if (!flag_of_path(trial, {"steady"}).value_or(true)) ++unsteady;
    }
  }
  if (unsteady == 0) return "";
  return fmt::format("; {} of {} unsteady or with a failed kernel, and not kept: another run may choose other kernels",
                     unsteady, counted(made, "trial"));
}

std::string products_line(const AnalyzedRun& run) {
  std::map<std::string, std::size_t> cases;  // by kernel of most operations
  for (const AnalyzedCase& one : run.cases) {
    const Json& effective = one.record->effective;
    // Of a step the kernel of the forward pass is known, a third of its operations.
    if (effective.contains("linear_trials") && !is_train(one.record->requested))
      ++cases[text_at(effective, {"linear_kernel"})];
  }
  std::vector<std::string> kernels;
  bool widens = false;
  for (const auto& [kernel, count] : cases) {
    kernels.push_back(fmt::format("{} ({})", kernel, counted(count, "case")));
    widens = widens || kernel.starts_with("widened");
  }
  if (kernels.empty()) return "";
  return fmt::format(
      "products: mostly by {}; a trial chose the fastest kernel for each size (times: linear_trials in `transformeter "
      "show --format json`){}{}",
      fmt::join(kernels, ", "), unsteady_trials(run), widens ? "; widened: values in bf16, multiplied in fp32" : "");
}

// What trials of attention chose, and what they refused, which must not go unseen.
std::string attention_line(const AnalyzedRun& run) {
  std::map<std::string, std::size_t> kinds;  // of inputs, by kernel
  std::set<std::string> refused;
  for (const AnalyzedCase& one : run.cases) {
    const Json trials = one.record->effective.value("attention_trials", Json::array());
    for (const Json& trial : trials) {
      if (!trial.is_object()) continue;
      ++kinds[text_at(trial, {"kernel"})];
      const Json left_out = trial.value("refused", Json::object());
      for (const auto& [kernel, why] : left_out.items()) {
        refused.insert(fmt::format("{} ({})", kernel, why.is_string() ? why.get<std::string>() : ""));
      }
    }
  }
  std::vector<std::string> words;
  for (const auto& [kernel, count] : kinds) {
    words.push_back(fmt::format("{} for {} of inputs", kernel, counted(count, "kind")));
  }
  if (words.empty()) return "";
  std::string line =
      fmt::format("attention: by {}, as a trial chose (times: attention_trials in `transformeter show --format json`)",
                  fmt::join(words, ", "));
  if (!refused.empty()) line += fmt::format("; left out: {}", fmt::join(refused, ", "));
  return line;
}

std::vector<std::string> interval_lines(const AnalyzedRun& run, std::string_view shown) {
  bool single = false;
  std::set<std::size_t> slices;
  std::set<std::size_t> replicates;
  for (const AnalyzedCase& one : run.cases) {
    for (const MetricRow* row :
         {headline_time(one), shown_metric(one, "throughput_samples"), shown_metric(one, "throughput_decode_tokens")}) {
      if (row == nullptr || !row->low) continue;
      if (row->interval == IntervalKind::kSingleWindow) single = true;
      if (row->interval == IntervalKind::kBetweenSlices) slices.insert(row->n);
      if (row->interval == IntervalKind::kBetweenReplicates) replicates.insert(row->n);
    }
  }
  const std::string_view judged = shown == kHalfWidths ? "; verdicts go by half its length" : "";
  std::vector<std::string> lines;
  if (single) {
    lines.push_back(fmt::format(
        "{} of a single window: covers neither slow changes of the machine's speed nor variance between processes; "
        "8 slices over 36 s cover the former, --replicates 3 both",
        shown));
  }
  if (!slices.empty()) {
    lines.push_back(fmt::format("{} between slices: over {} short measurements spread over the run{}", shown,
                                slices.size() == 1 ? std::to_string(*slices.begin())
                                                   : fmt::format("{} to {}", *slices.begin(), *slices.rbegin()),
                                judged));
  }
  if (!replicates.empty()) {
    lines.push_back(fmt::format("{} between replicates: over {} separate processes{}", shown,
                                fmt::join(replicates, " or "), judged));
  }
  return lines;
}

std::string host_line(const AnalyzedRun& run) {
  const Json& host = run.run->host;
  std::vector<std::string> parts;
  const auto add = [&](std::string_view before, const std::string& text, std::string_view after) {
    if (!text.empty()) parts.push_back(fmt::format("{}{}{}", before, text, after));
  };
  add("", text_at(host, {"cpu", "model"}), "");
  add("", text_at(host, {"topology", "core_count"}), " cores");
  add("", threads_text(run), "");
  add("LibTorch ", text_at(host, {"worker", "libtorch"}), "");
  std::set<std::string> libraries;  // of engines that are another's
  for (const AnalyzedCase& one : run.cases) libraries.insert(text_at(one.record->effective, {"library"}));
  for (const std::string& library : libraries) add("", library, "");
  return parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string pending_text(const PendingReplicates& replicates) {
  if (replicates.pending == 0) return "";
  return fmt::format("pending: {} of {}", replicates.pending, counted(replicates.total, "replicate"));
}

}  // namespace transformeter
