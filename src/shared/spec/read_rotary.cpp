// Key names and defaults as in transformers/modeling_rope_utils.py of Transformers 5.23.
#include "spec/read_rotary.h"

#include <fmt/format.h>

#include <cmath>

namespace transformeter {

namespace {

constexpr double kLargest = 1e12;

RotaryScaling scaling_of(const ConfigReader& reader) {
  // The older key is `type`.
  const std::string name = reader.text("rope_type", reader.text("type", "default"));
  if (name == "default") return RotaryScaling::kDefault;
  if (name == "linear") return RotaryScaling::kLinear;
  if (name == "dynamic") return RotaryScaling::kDynamic;
  if (name == "yarn") return RotaryScaling::kYarn;
  if (name == "longrope") return RotaryScaling::kLongRope;
  if (name == "llama3") return RotaryScaling::kLlama3;
  throw reader.unsupported("rope_type", name, "allowed: default, linear, dynamic, yarn, longrope, llama3");
}

double yarn_magnitude(double factor, double scale) {
  return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1;
}

double default_attention_factor(const ConfigReader& reader, const RotarySpec& spec) {
  if (spec.scaling == RotaryScaling::kYarn) {
    const double scale = reader.number("mscale", 0, kLargest);
    const double scale_all = reader.number("mscale_all_dim", 0, kLargest);
    if (scale > 0 && scale_all > 0) return yarn_magnitude(spec.factor, scale) / yarn_magnitude(spec.factor, scale_all);
    return yarn_magnitude(spec.factor, 1);
  }
  if (spec.scaling == RotaryScaling::kLongRope && spec.factor > 1) {
    return std::sqrt(1 + std::log(spec.factor) / std::log(static_cast<double>(spec.original_positions)));
  }
  return 1;
}

void check_list(const ConfigReader& reader, const char* key, const std::vector<double>& factors,
                std::int64_t dimensions) {
  const bool is_positive = std::all_of(factors.begin(), factors.end(), [](double factor) { return factor > 0; });
  if (static_cast<std::int64_t>(factors.size()) == dimensions / 2 && is_positive) return;
  throw reader.bad(key, Json(factors), fmt::format("{} numbers above 0", dimensions / 2));
}

void read_scaling(const ConfigReader& reader, const ConfigReader& config, RotarySpec& spec) {
  const auto positive = [&](const char* key, double fallback) {
    const double value = reader.number(key, fallback, kLargest);
    if (value > 0) return value;
    throw reader.bad(key, value, "a number above 0");
  };
  // LongRoPE's lies beside rope_parameters in some files.
  const std::int64_t beside = config.integer("original_max_position_embeddings", spec.max_positions, 1, kMaxPositions);
  spec.original_positions = reader.integer("original_max_position_embeddings", beside, 2, kMaxPositions);
  const double stretch = static_cast<double>(spec.max_positions) / static_cast<double>(spec.original_positions);
  const bool may_lack_factor = spec.scaling == RotaryScaling::kYarn || spec.scaling == RotaryScaling::kLongRope;
  if (!may_lack_factor && reader.find("factor") == nullptr)
    throw reader.bad("factor", nullptr, "a number of at least 1");
  spec.factor = positive("factor", stretch);
  spec.beta_fast = positive("beta_fast", 32);
  spec.beta_slow = positive("beta_slow", 1);
  spec.truncate = reader.flag("truncate", true);
  spec.low_frequency_factor = positive("low_freq_factor", 1);
  spec.high_frequency_factor = positive("high_freq_factor", 4);
  if (spec.scaling == RotaryScaling::kLlama3 && spec.high_frequency_factor <= spec.low_frequency_factor) {
    throw reader.bad("high_freq_factor", spec.high_frequency_factor,
                     fmt::format("more than low_freq_factor {}", spec.low_frequency_factor));
  }
  if (spec.scaling == RotaryScaling::kLongRope) {
    spec.short_factors = reader.numbers("short_factor");
    spec.long_factors = reader.numbers("long_factor");
    check_list(reader, "short_factor", spec.short_factors, spec.dimensions);
    check_list(reader, "long_factor", spec.long_factors, spec.dimensions);
  }
  spec.attention_factor = positive("attention_factor", default_attention_factor(reader, spec));
}

}  // namespace

RotarySpec read_rotary(const ConfigReader& reader, std::int64_t head_dim, std::int64_t max_positions) {
  static const Json kNone = Json::object();
  const Json* parameters = reader.find("rope_parameters");
  const char* key = "rope_parameters";
  const Json* older = reader.find("rope_scaling");
  if (parameters == nullptr && older != nullptr) {
    parameters = older;
    key = "rope_scaling";
  }
  const ConfigReader rotary(parameters != nullptr ? *parameters : kNone, reader.field(key));
  RotarySpec spec;
  spec.max_positions = max_positions;
  spec.theta = rotary.number("rope_theta", reader.number("rope_theta", 10000, kLargest), kLargest);
  if (spec.theta <= 1) throw rotary.bad("rope_theta", spec.theta, "a number above 1");
  for (const ConfigReader* part : {&rotary, &reader}) {
    const double share = part->number("partial_rotary_factor", 1, 1);
    if (share != 1)
      throw part->unsupported("partial_rotary_factor", share, "only rotation of whole heads is supported");
  }
  spec.dimensions = head_dim;
  spec.scaling = scaling_of(rotary);
  if (spec.scaling != RotaryScaling::kDefault) read_scaling(rotary, reader, spec);
  if (spec.scaling == RotaryScaling::kDynamic && spec.dimensions < 4) {
    throw rotary.bad("rope_type", "dynamic", "another type, since heads have fewer than 4 dimensions");
  }
  rotary.ignore({"mscale", "mscale_all_dim", "finetuned"});
  rotary.check_all_known();
  return spec;
}

}  // namespace transformeter
