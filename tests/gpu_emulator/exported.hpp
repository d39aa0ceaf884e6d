// The functions that leave the libraries.
#pragma once

#define EXPORTED extern "C" [[gnu::visibility("default")]]
