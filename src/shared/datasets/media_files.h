// The files that data sets of images and of sounds are made of: their names, and what errors call them.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string_view>

#include "datasets/usual_columns.h"

namespace transformeter {

/// One kind of them. Endings are in small letters; files may have capitals.
struct MediaFiles {
  std::string_view one;                           // "image"
  std::string_view many;                          // "images"
  std::string_view formats;                       // "JPEG or PNG"
  std::span<const std::string_view> endings;      // that are read
  std::span<const std::string_view> other;        // of the same kind that are not read: leaving them out would change
                                                  // the data set without a word
  std::span<const char* const> columns;           // usual names of a table's column of paths
  std::span<const std::string_view> not_classes;  // folders beside those of classes
  std::string_view option;                        // of `predict`, for files without a data set
  std::string_view forms;                         // what a data set may be
};

namespace media {

inline constexpr std::array<std::string_view, 3> kImageEndings{".jpg", ".jpeg", ".png"};
inline constexpr std::array<std::string_view, 11> kOtherImages{".webp", ".gif",  ".bmp",  ".tif", ".tiff", ".ppm",
                                                               ".pgm",  ".heic", ".avif", ".jp2", ".pbm"};
inline constexpr std::array<std::string_view, 5> kSoundEndings{".wav", ".flac", ".ogg", ".oga", ".opus"};
inline constexpr std::array<std::string_view, 14> kOtherSounds{
    ".mp3", ".m4a", ".aac", ".mp4", ".aif", ".aiff", ".aifc", ".webm", ".mka", ".wma", ".au", ".caf", ".w64", ".amr"};
/// Speech Commands keeps long recordings of noise there, which are no class.
inline constexpr std::array<std::string_view, 1> kNoises{"_background_noise_"};

}  // namespace media

inline constexpr MediaFiles kImageFiles{"image",
                                        "images",
                                        "JPEG or PNG",
                                        media::kImageEndings,
                                        media::kOtherImages,
                                        kImageColumns,
                                        {},
                                        "--image",
                                        "a folder of JPEG or PNG files or of a subfolder for each class, a table of "
                                        "paths, or CIFAR-10's binary files"};

inline constexpr MediaFiles kSoundFiles{
    "sound",
    "sounds",
    "WAV, FLAC or Ogg",
    media::kSoundEndings,
    media::kOtherSounds,
    kSoundColumns,
    media::kNoises,
    "--audio",
    "a folder of WAV, FLAC or Ogg files or of a subfolder for each class, or a table of paths"};

/// By a file's ending, in small or capital letters.
bool is_named_as(const std::filesystem::path& file, const MediaFiles& kind);
/// Of the kind, but in a format that is not read.
bool is_named_as_other(const std::filesystem::path& file, const MediaFiles& kind);

}  // namespace transformeter
