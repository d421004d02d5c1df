package main

import (
	"errors"
	"path/filepath"
	"time"
)

// The media types of the parts of an image.
const (
	imageIndex    = "application/vnd.oci.image.index.v1+json"
	imageManifest = "application/vnd.oci.image.manifest.v1+json"
	imageConfig   = "application/vnd.oci.image.config.v1+json"
	imageLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// An object is a JSON object, whose keys are written in the order of the alphabet.
type object map[string]any

// writeImage writes the container image for Linux as an OCI layout, the folder oci. It has the
// program and nothing below it: no shell, no git, no certificates.
func (r *release) writeImage() error {
	var manifests []object
	for _, p := range r.programs {
		if p.goos != "linux" {
			continue
		}
		manifest, err := r.writeImageFor(p)
		if err != nil {
			return err
		}
		manifest["platform"] = object{"os": p.goos, "architecture": p.goarch}
		manifests = append(manifests, manifest)
	}
	// One index for both systems, in the index of the layout, so that the tag names both.
	both, err := r.writeBlob(imageIndex, object{"schemaVersion": 2, "mediaType": imageIndex, "manifests": manifests})
	if err != nil {
		return err
	}
	both["annotations"] = object{"org.opencontainers.image.ref.name": r.version}
	index, err := indented(object{"schemaVersion": 2, "mediaType": imageIndex, "manifests": []object{both}})
	if err != nil {
		return err
	}
	return errors.Join(write(r.layout("index.json"), index),
		write(r.layout("oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`+"\n")))
}

// writeImageFor writes the image for one system, and returns the descriptor of its manifest.
func (r *release) writeImageFor(p program) (object, error) {
	executable, err := read("issues-index", 0o755, p.file)
	license, missing := read("LICENSE", 0o644, "LICENSE")
	if err := errors.Join(err, missing); err != nil {
		return nil, err
	}
	files := []file{{"tmp/", 0o1777, nil}, {"workspace/", 0o777, nil}, license, executable}
	plain, err := tarred(files, r.at)
	if err != nil {
		return nil, err
	}
	layer, err := gzipped(plain)
	if err != nil {
		return nil, err
	}
	config, err := r.writeBlob(imageConfig, object{
		"created": r.at.Format(time.RFC3339), "author": author, "os": p.goos, "architecture": p.goarch,
		"config": object{
			"Entrypoint": []string{"/issues-index"}, "Cmd": []string{"serve"}, "WorkingDir": "/workspace",
			"Labels": map[string]string{
				"io.modelcontextprotocol.server.name":  r.mcpName(),
				"org.opencontainers.image.title":       name,
				"org.opencontainers.image.description": r.Description,
				"org.opencontainers.image.version":     r.version,
				"org.opencontainers.image.source":      r.url(),
				"org.opencontainers.image.licenses":    "MIT",
			},
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{"sha256:" + digest(plain)}},
		"history": []object{{"created": r.at.Format(time.RFC3339), "created_by": "cmd/issues-release"}},
	})
	if err != nil {
		return nil, err
	}
	packed, err := r.writeBytes(imageLayer, layer)
	if err != nil {
		return nil, err
	}
	return r.writeBlob(imageManifest, object{
		"schemaVersion": 2, "mediaType": imageManifest, "config": config, "layers": []object{packed},
	})
}

func (r *release) writeBlob(media string, content object) (object, error) {
	data, err := indented(content)
	if err != nil {
		return nil, err
	}
	return r.writeBytes(media, data)
}

// writeBytes writes a part of the image by its checksum, and returns its descriptor.
func (r *release) writeBytes(media string, data []byte) (object, error) {
	sum := digest(data)
	return object{"mediaType": media, "digest": "sha256:" + sum, "size": len(data)},
		write(r.layout("blobs", "sha256", sum), data)
}

func (r *release) layout(names ...string) string {
	return filepath.Join(append([]string{r.dist, "oci"}, names...)...)
}
