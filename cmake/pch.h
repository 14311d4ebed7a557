// Headers nearly every source file without LibTorch includes, compiled once. Sources still include what they use.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
