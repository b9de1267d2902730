{{- define "nexkit.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "nexkit.labels" -}}
app.kubernetes.io/name: nexkit
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "nexkit.selector" -}}
app.kubernetes.io/name: nexkit
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- /* The API and the worker differ in their role, their count and their probes. */ -}}
{{- define "nexkit.deployment" -}}
{{- $root := .root -}}
{{- $own := index $root.Values .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "nexkit.name" $root }}-{{ .role }}
  labels:
    {{- include "nexkit.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  replicas: {{ $own.replicas }}
  selector:
    matchLabels: {{- include "nexkit.selector" . | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels: {{- include "nexkit.selector" . | nindent 8 }}
      annotations:
        checksum/settings: {{ toJson $root.Values.settings | sha256sum }}
        {{- with $root.Values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
    spec:
      automountServiceAccountToken: false
      # The server finishes the requests in progress within 20 seconds.
      terminationGracePeriodSeconds: 40
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: nexkit
          image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: ["serve", "--role", {{ .role | quote }}]
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: ["ALL"] }
          envFrom:
            - secretRef: { name: {{ required "set existingSecret: a secret with DATABASE_URL and NEXKIT_SECRET_KEY" $root.Values.existingSecret }} }
            - configMapRef: { name: {{ include "nexkit.name" $root }} }
          env:
            - { name: METRICS_PORT, value: "9090" }
          ports:
            - { name: metrics, containerPort: 9090 }
            {{- if eq .role "api" }}
            - { name: http, containerPort: 3900 }
            {{- end }}
          readinessProbe:
            httpGet: { path: /readyz, port: metrics }
            periodSeconds: 2
            failureThreshold: 1
          livenessProbe:
            httpGet: { path: /healthz, port: metrics }
            initialDelaySeconds: 30
            failureThreshold: 6
          {{- if eq .role "api" }}
          lifecycle:
            # The service stops sending requests to a pod some seconds after the pod is told to stop.
            preStop: { exec: { command: ["sleep", "5"] } }
          {{- end }}
          resources: {{- toYaml $own.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: temporary, mountPath: /tmp }
      volumes:
        - { name: data, emptyDir: {} }
        - { name: temporary, emptyDir: {} }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "nexkit.selector" . | nindent 14 }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
