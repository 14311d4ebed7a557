// Key names and defaults as in transformers/modeling_rope_utils.py of Transformers 5.23.
#include "spec/read_rotary.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace transformeter {

namespace {

constexpr double kLargest = 1e12;

RotaryScaling scaling_of(const ConfigReader& reader, const RotaryHabits& habits) {
  // The older key is `type`.
  const std::string name = reader.text("rope_type", reader.text("type", "default"));
  if (name == "default") return RotaryScaling::kDefault;
  if (habits.has_longrope_only) {
    if (name == "longrope" || name == "su" || name == "yarn") return RotaryScaling::kLongRope;
    throw reader.unsupported("rope_type", name, "allowed: default, longrope");
  }
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

// `config`: what holds the parameters of all layers; null: these are of some layers, and no key beside them counts.
void read_scaling(const ConfigReader& reader, const ConfigReader* config, const RotaryHabits& habits,
                  RotarySpec& spec) {
  const auto positive = [&](const char* key, double fallback) {
    const double value = reader.number(key, fallback, kLargest);
    if (value > 0) return value;
    throw reader.bad(key, value, "a number above 0");
  };
  // One beside the parameters counts more than theirs, of the types that read it there.
  spec.original_positions = reader.integer("original_max_position_embeddings", spec.max_positions, 2, kMaxPositions);
  const bool reads_beside = spec.scaling == RotaryScaling::kYarn || spec.scaling == RotaryScaling::kLongRope ||
                            spec.scaling == RotaryScaling::kLlama3;
  if (config != nullptr && reads_beside) {
    spec.original_positions =
        config->integer("original_max_position_embeddings", spec.original_positions, 2, kMaxPositions);
  }
  spec.original_positions = habits.original_positions.value_or(spec.original_positions);
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

// Parameters of some layers, by their kind; nothing where one set serves all.
const Json* parameters_by_layer(const ConfigReader& rotary) {
  for (const char* kind : {"full_attention", "sliding_attention"}) {
    if (const Json* parameters = rotary.find(kind)) return parameters;
  }
  return nullptr;
}

// The plain rotation of these families turns whole heads, whatever the share; the stretched ones would fail.
void check_share(const ConfigReader& rotary, const ConfigReader* config, const RotarySpec& spec) {
  const double beside = config != nullptr ? config->number("partial_rotary_factor", 1, 1) : 1;
  const double share = rotary.number("partial_rotary_factor", beside, 1);
  if (share == 1 || spec.scaling == RotaryScaling::kDefault) return;
  throw rotary.unsupported("partial_rotary_factor", share, "stretched rotations turn whole heads");
}

// Of the dimensions of a head, which are the first ones.
std::int64_t turned_dimensions(const ConfigReader& rotary, const ConfigReader& config, std::int64_t head_dim) {
  const double beside = config.number("partial_rotary_factor", 1, 1);
  const double share = rotary.number("partial_rotary_factor", beside, 1);
  const auto turned = static_cast<std::int64_t>(static_cast<double>(head_dim) * share);
  if (turned > 0 && turned % 2 == 0) return turned;
  throw rotary.bad("partial_rotary_factor", share,
                   fmt::format("a share of {} dimensions that is an even number of them", head_dim));
}

// `rotary`: the parameters; `config` as in read_scaling. `theta`: where they name no base. `dimensions`: of a head,
// those that turn.
RotarySpec rotary_of(const ConfigReader& rotary, const ConfigReader* config, double theta, std::int64_t dimensions,
                     std::int64_t max_positions, const RotaryHabits& habits = {}) {
  RotarySpec spec;
  spec.max_positions = max_positions;
  spec.theta = rotary.number("rope_theta", theta, kLargest);
  if (spec.theta <= 1) throw rotary.bad("rope_theta", spec.theta, "a number above 1");
  spec.dimensions = dimensions;
  spec.scaling = scaling_of(rotary, habits);
  if (spec.scaling != RotaryScaling::kDefault) read_scaling(rotary, config, habits, spec);
  if (spec.scaling == RotaryScaling::kDynamic && spec.dimensions < 4) {
    throw rotary.bad("rope_type", "dynamic", "another type, since heads have fewer than 4 dimensions");
  }
  return spec;
}

}  // namespace

RotarySpec read_rotary(const ConfigReader& reader, std::int64_t head_dim, std::int64_t max_positions,
                       const RotaryHabits& habits) {
  static const Json kNone = Json::object();
  const Json* parameters = reader.find("rope_parameters");
  const char* key = "rope_parameters";
  // Of the two the older one counts, unless it is empty.
  const Json* older = reader.find("rope_scaling");
  if (older != nullptr && (parameters == nullptr || !older->empty())) {
    parameters = older;
    key = "rope_scaling";
  }
  const ConfigReader rotary(parameters != nullptr ? *parameters : kNone, reader.field(key));
  if (const Json* layers = parameters_by_layer(rotary)) {
    throw reader.unsupported(key, *layers, "all layers rotate alike");
  }
  const std::int64_t turned = habits.turns_part ? turned_dimensions(rotary, reader, head_dim) : head_dim;
  RotarySpec spec =
      rotary_of(rotary, &reader, reader.number("rope_theta", 10000, kLargest), turned, max_positions, habits);
  if (!habits.turns_part) check_share(rotary, &reader, spec);
  return spec;
}

RotarySpec read_rotary_of_layers(const ConfigReader& reader, const LayerRotaryKeys& keys, std::int64_t head_dim,
                                 std::int64_t max_positions) {
  static const Json kNone = Json::object();
  const Json* all = reader.find("rope_parameters");
  const ConfigReader by_kind(all != nullptr ? *all : kNone, reader.field("rope_parameters"));
  if (all != nullptr && !all->empty() && parameters_by_layer(by_kind) == nullptr) {
    throw reader.bad("rope_parameters", *all, "parameters for full_attention and for sliding_attention");
  }
  const Json* own = by_kind.find(keys.kind);
  Json parameters = own != nullptr ? *own : kNone;
  if (const Json* older = std::string_view(keys.scaling).empty() ? nullptr : reader.find(keys.scaling)) {
    const ConfigReader scaling(*older, reader.field(keys.scaling));
    if (parameters.is_object()) parameters.update(*older);
    // The original takes the older name alone for no kind of scaling.
    const Json* type = scaling.find("type");
    if (type != nullptr && parameters.value("rope_type", Json()) != *type) {
      throw scaling.unsupported("type", *type, "the kind of scaling is called rope_type");
    }
  }
  const ConfigReader rotary(parameters, by_kind.field(keys.kind));
  RotarySpec spec =
      rotary_of(rotary, nullptr, reader.number(keys.theta, keys.usual_theta, kLargest), head_dim, max_positions);
  check_share(rotary, nullptr, spec);
  return spec;
}

}  // namespace transformeter
